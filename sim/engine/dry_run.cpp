#include "sim/engine/dry_run.h"

#include "memory/bandwidth_pipe.h"

namespace systole {

namespace {

// A client's way to the memory: the answer is known when the request is made.
class DirectPort : public MemoryPort {
  public:
    explicit DirectPort(BandwidthPipe& pipe) : pipe_(pipe) {}

    void attach(MemoryClient& client) { client_ = &client; }
    void request(Ticks now, const MemoryRequest& request) override {
        client_->response(request.id, pipe_.submit(now, request.bytes));
    }
    Ticks busy_before(Ticks now) const override { return pipe_.busy_before(now); }

  private:
    BandwidthPipe& pipe_;
    MemoryClient* client_ = nullptr;
};

} // namespace

Cycles dry_run(const ChipConfig& config) {
    BandwidthPipe pipe(config.time, config.hbm.bandwidth, config.hbm.latency);
    std::vector<std::unique_ptr<DirectPort>> ports;
    Chip chip(
        config, {},
        [&](const std::string&, int) -> MemoryPort& { return *ports.emplace_back(std::make_unique<DirectPort>(pipe)); },
        [](MemoryPort& port, MemoryClient& client) { static_cast<DirectPort&>(port).attach(client); });
    for (Cycles now = 0; now != unlimited && !chip.done(); now = chip.next_event())
        chip.step(now);
    return chip.finish();
}

} // namespace systole
