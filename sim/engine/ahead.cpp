#include "sim/engine/ahead.h"

#include <numeric>

namespace systole {

AheadUnits first_units(UnitSource& source, int operand, std::int64_t tiles, Bytes room) {
    AheadUnits units;
    FetchUnit unit;
    while (units.size() < most_ahead && source.next(unit)) {
        if (unit.operand != operand)
            continue;
        if (unit.sequence >= tiles || unit.bytes > room)
            break;
        room -= unit.bytes;
        units.push_back({unit, {}, unit.bytes});
    }
    return units;
}

Bytes bytes_there(const AheadUnits& units) {
    return std::accumulate(units.begin(), units.end(), Bytes{0},
                           [](Bytes sum, const AheadUnit& unit) { return sum + unit.unit.bytes - unit.left; });
}

} // namespace systole
