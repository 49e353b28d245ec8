// Flow-control credits of one kind of packet: a packet may start when the receiver has granted a header credit and the
// data credits of its payload. They come back a fixed time after the packet has started.
#pragma once

#include <algorithm>

#include "memory/pcie_config.h"
#include "memory/ring.h"

namespace systole {

class CreditPool {
  public:
    __extension__ using Time = __int128; // in the link's own unit

    // headers, data: credits, `unlimited` or at least 1; data in units of pcie_credit_bytes, enough for one packet.
    CreditPool(std::int64_t headers, std::int64_t data, Time round_trip)
        : headers_(headers), data_(data), round_trip_(round_trip), taken_(ample() ? 0 : std::min(headers, data)) {}

    bool ample() const { return headers_ == unlimited && data_ == unlimited; }

    // The first moment at which a packet may start, as far as credits are concerned; 0 if it may start at once.
    Time ready(Bytes payload) const {
        Time at = 0;
        std::int64_t headers = static_cast<std::int64_t>(taken_.size());
        std::int64_t data = data_taken_;
        for (std::size_t i = 0; headers >= headers_ || data > data_ - units(payload); ++i) {
            at = taken_[i].back_at;
            data -= taken_[i].units;
            --headers;
        }
        return at;
    }

    // The packet starts; not before ready(payload).
    void take(Time start, Bytes payload) {
        if (ample())
            return;
        while (!taken_.empty() && taken_.front().back_at <= start) {
            data_taken_ -= taken_.front().units;
            taken_.pop();
        }
        taken_.push({start + round_trip_, units(payload)});
        data_taken_ += units(payload);
    }

  private:
    struct Taken {
        Time back_at = 0;
        std::int64_t units = 0;
    };

    static std::int64_t units(Bytes payload) { return ceil_div(payload, pcie_credit_bytes); }

    std::int64_t headers_;
    std::int64_t data_;
    Time round_trip_;
    std::int64_t data_taken_ = 0;
    Ring<Taken> taken_;
};

} // namespace systole
