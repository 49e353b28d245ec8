#include "memory/dram_player.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/error.h"

namespace systole {

namespace {

class Player {
  public:
    Player(const DramConfig& config, std::vector<std::unique_ptr<DramPort>> ports);

    DramPlay play(DramRequests& requests);

  private:
    struct Piece {
        int port = 0;
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    struct Flight { // a request that was taken and is not complete
        Clocks taken = 0;
        Clocks done = 0; // of the pieces so far
        int pieces = 0;  // that are left
    };

    void cut(const DramRequest& request);
    void cut_by_counting(std::int64_t first, std::int64_t end);
    void cut_one_by_one(std::int64_t first, std::int64_t end);
    void make_room();
    void push(bool write);
    void collect(DramPort& port);
    Clocks finish_all();
    void sum_up(DramPlay& result) const;

    DramAddress address_;
    std::vector<std::unique_ptr<DramPort>> ports_;
    std::int64_t most_waiting_;
    std::vector<Piece> pieces_;                         // of the request at hand; room for one of each port
    std::vector<std::int64_t> below_first_, below_end_; // of each port
    std::int64_t counted_end_ = -1;                     // the access that below_end_ was counted for
    std::vector<Flight> flights_;
    std::vector<std::int64_t> free_flights_;
    Clocks now_ = 0;
    Clocks last_done_ = 0;
    ClockHistogram latency_;
};

Player::Player(const DramConfig& config, std::vector<std::unique_ptr<DramPort>> ports)
    : address_(config, 1), ports_(std::move(ports)), most_waiting_(config.queues.port) {
    pieces_.reserve(ports_.size());
    below_first_.resize(ports_.size());
    below_end_.resize(ports_.size());
}

// For large requests: from how many accesses of each port lie below their ends. Streams have the first end already.
void Player::cut_by_counting(std::int64_t first, std::int64_t end) {
    if (first == counted_end_) {
        std::swap(below_first_, below_end_);
    } else {
        address_.counts_below(first, below_first_.data());
    }
    address_.counts_below(end, below_end_.data());
    counted_end_ = end;
    for (std::size_t port = 0; port < ports_.size(); ++port) {
        if (const std::int64_t count = below_end_[port] - below_first_[port]; count > 0) {
            pieces_.push_back({static_cast<int>(port), below_first_[port], count});
        }
    }
}

// For a few accesses among many ports.
void Player::cut_one_by_one(std::int64_t first, std::int64_t end) {
    for (std::int64_t access = first; access < end; ++access) {
        const int port = address_.port_of(access);
        const auto piece =
            std::find_if(pieces_.begin(), pieces_.end(), [port](const Piece& p) { return p.port == port; });
        if (piece == pieces_.end()) {
            pieces_.push_back({port, address_.local_of(access), 1});
        } else {
            ++piece->count;
        }
    }
}

void Player::cut(const DramRequest& request) {
    constexpr std::int64_t a_few = 4;
    pieces_.clear();
    const std::int64_t first = request.address / address_.access_bytes();
    const std::int64_t end = (request.address + request.bytes - 1) / address_.access_bytes() + 1;
    if (end - first <= a_few) {
        cut_one_by_one(first, end);
    } else {
        cut_by_counting(first, end);
    }
}

void Player::make_room() {
    for (;;) {
        DramPort* fullest = nullptr;
        std::int64_t waiting = most_waiting_;
        for (const Piece& piece : pieces_) {
            DramPort& port = *ports_[static_cast<std::size_t>(piece.port)];
            if (port.waiting() > waiting) {
                waiting = port.waiting();
                fullest = &port;
            }
        }
        if (fullest == nullptr) {
            return;
        }
        now_ = std::max(now_, fullest->advance_until_waiting(most_waiting_ / 2));
        collect(*fullest);
    }
}

void Player::push(bool write) {
    if (free_flights_.empty()) {
        free_flights_.push_back(static_cast<std::int64_t>(flights_.size()));
        flights_.emplace_back();
    }
    const std::int64_t tag = free_flights_.back();
    free_flights_.pop_back();
    flights_[static_cast<std::size_t>(tag)] = {now_, 0, static_cast<int>(pieces_.size())};
    for (const Piece& piece : pieces_) {
        ports_[static_cast<std::size_t>(piece.port)]->push({now_, piece.first, piece.count, write, tag});
    }
}

void Player::collect(DramPort& port) {
    for (const DramCompletion& completion : port.completions()) {
        Flight& flight = flights_[static_cast<std::size_t>(completion.tag)];
        flight.done = std::max(flight.done, completion.clock);
        if (--flight.pieces == 0) {
            latency_.add(flight.done - flight.taken);
            last_done_ = std::max(last_done_, flight.done);
            free_flights_.push_back(completion.tag);
        }
    }
    port.completions().clear();
}

// Returns when the last of the requests so far was complete.
Clocks Player::finish_all() {
    for (const auto& port : ports_) {
        port->finish();
        collect(*port);
    }
    return last_done_;
}

void Player::sum_up(DramPlay& result) const {
    constexpr std::array parts{&DramTime::data, &DramTime::row, &DramTime::turnaround, &DramTime::refresh,
                               &DramTime::idle};
    std::array<Clocks, parts.size()> sums{};
    for (const auto& port : ports_) {
        const DramCounts& counts = port->counts();
        result.counts.reads += counts.reads;
        result.counts.writes += counts.writes;
        result.counts.row_hits += counts.row_hits;
        result.counts.activates += counts.activates;
        result.counts.precharges += counts.precharges;
        result.counts.refreshes += counts.refreshes;
        result.counts.last_data = std::max(result.counts.last_data, counts.last_data);
        const DramTime time = port->time(result.cycles);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            sums[i] += time.*parts[i];
        }
    }
    // Differences of the running sum, rounded down, sum to the whole exactly.
    const auto count = static_cast<Clocks>(ports_.size());
    Clocks running = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        result.time.*parts[i] = (running + sums[i]) / count - running / count;
        running += sums[i];
    }
    if (result.time.total() != result.cycles) {
        throw InternalError("the time of the pseudo-channels does not sum to the cycles of the run");
    }
}

DramPlay Player::play(DramRequests& requests) {
    DramPlay result;
    const std::optional<Clocks> gap = requests.closed_loop_gap();
    for (DramRequest request; requests.next(request); ++result.requests) {
        cut(request);
        now_ = std::max(now_, request.not_before);
        make_room();
        push(request.write);
        result.bytes += request.bytes;
        if (gap) {
            now_ = finish_all() + *gap;
        }
    }
    result.cycles = finish_all();
    if (free_flights_.size() != flights_.size()) {
        throw InternalError("a request to the DRAM was never completed");
    }
    result.latency = std::move(latency_);
    sum_up(result);
    return result;
}

} // namespace

double DramPlay::row_hit_rate() const {
    const std::int64_t accesses = counts.reads + counts.writes;
    return accesses == 0 ? 0 : static_cast<double>(counts.row_hits) / static_cast<double>(accesses);
}

double DramPlay::efficiency(const DramConfig& config) const {
    const DramOrganization& o = config.organization;
    const double peak = static_cast<double>(o.access_bytes * o.channels * o.pseudo_channels) /
                        static_cast<double>(o.burst); // bytes a clock
    return cycles == 0 ? 0 : static_cast<double>(bytes) / (static_cast<double>(cycles) * peak);
}

DramPlay play(const DramConfig& config, std::vector<std::unique_ptr<DramPort>> ports, DramRequests& requests) {
    return Player(config, std::move(ports)).play(requests);
}

DramPlay play(const DramConfig& config, MemoryMode mode, DramRequests& requests) {
    std::vector<std::unique_ptr<DramPort>> ports;
    for (int i = 0; i < config.organization.channels * config.organization.pseudo_channels; ++i) {
        ports.push_back(make_dram_port(config, mode));
    }
    return play(config, std::move(ports), requests);
}

} // namespace systole
