// A 2-D request in one TLM-2.0 transaction: an ignorable extension of the generic payload. A memory that does not know
// it sees data_length bytes from the payload's address on: the right amount, in one piece.
#pragma once

#include <tlm>

#include "sim/base/quantities.h"

namespace systole {

struct DmaShape : tlm::tlm_extension<DmaShape> {
    Bytes piece_bytes = 0; // 0: all in one piece
    Bytes pitch = 0;       // from the start of a piece to that of the next

    tlm::tlm_extension_base* clone() const override { return new DmaShape(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        const auto& shape = static_cast<const DmaShape&>(other);
        piece_bytes = shape.piece_bytes;
        pitch = shape.pitch;
    }
};

} // namespace systole
