// What running one point gave, and how it travels from a worker to the parent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/cell.h"

namespace systole {

enum class PointStatus {
    ok,
    failed, // wrong in itself: it would fail again
    lost    // the surroundings failed (its worker was killed, out of memory): --resume tries it again
};

std::string_view name(PointStatus status); // "ok", "failed", "lost"

struct PointOutcome {
    std::string hash; // of the resolved point and the version; "" where it could not be resolved
    PointStatus status = PointStatus::ok;
    std::string error;       // "" if ok
    Row metrics;             // in the order of point_metrics(); empty unless ok
    std::vector<Row> layers; // in the order of layer_metrics()

    bool operator==(const PointOutcome&) const = default;
};

// Between processes of one program: in the machine's own byte order.
std::string encode(const PointOutcome& outcome);
PointOutcome decode(std::string_view bytes); // throws InternalError for bytes that encode() did not write

} // namespace systole
