#include "sim/engine/dry_run.h"

#include <algorithm>

#include "memory/hbm_device.h"

namespace systole {

namespace {

// A client's way to the memory without a kernel between.
class DirectPort : public MemoryPort {
  public:
    DirectPort(HbmDevice& device, int client) : device_(device), client_number_(client) {}

    void attach(MemoryClient& client) { client_ = &client; }
    void request(Ticks now, const MemoryRequest& request) override {
        if (const auto done = device_.submit(now, client_number_, request))
            answer(request.id, *done);
    }
    void answer(int id, Ticks done) { client_->response(id, done); }
    Ticks busy_before(Ticks now) const override { return device_.busy_before(now); }

  private:
    HbmDevice& device_;
    int client_number_;
    MemoryClient* client_ = nullptr;
};

} // namespace

Cycles dry_run(const ChipConfig& config, Cycles enough) {
    HbmDevice device(config.hbm, config.time);
    std::vector<std::unique_ptr<DirectPort>> ports;
    Chip chip(
        config, {},
        [&](const std::string&, int) -> MemoryPort& {
            return *ports.emplace_back(std::make_unique<DirectPort>(device, static_cast<int>(ports.size())));
        },
        [](MemoryPort& port, MemoryClient& client) { static_cast<DirectPort&>(port).attach(client); });
    Cycles next = 0;
    while (!chip.done()) {
        const Ticks wake = device.next_wake();
        if (wake != unlimited && (next == unlimited || wake < config.time.at(next))) {
            for (const auto& answer : device.advance(wake))
                ports[answer.client]->answer(answer.id, answer.done);
        } else if (next == unlimited) {
            break;
        } else if (next >= enough) {
            return enough; // what is still to happen does so in this cycle or later
        } else {
            chip.step(next);
        }
        next = chip.next_event();
    }
    return std::min(chip.finish(), enough);
}

} // namespace systole
