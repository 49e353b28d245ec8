#include "sim/engine/unit_source.h"

namespace systole {

PassUnits::PassUnits(const Mapping& mapping, const CoreLimits& limits, const OperandMap& operands, Bytes burst)
    : cursor_(mapping, limits), operands_(operands),
      burst_(burst), from_host_{mapping.from_host(mapping.problem.x_home), mapping.from_host(mapping.problem.y_home)} {}

bool PassUnits::next(FetchUnit& unit) {
    while (!cursor_.done()) {
        if (stage_ == 2) {
            cursor_.next();
            stage_ = 0;
            continue;
        }
        const int operand = stage_++ == 0 ? 1 : 0;
        const auto& used = operand == 1 ? cursor_.pass().y : cursor_.pass().x;
        if (!used.fetch)
            continue;
        fill(unit, operand, used);
        return true;
    }
    return false;
}

void PassUnits::fill(FetchUnit& out, int operand, const UnitRef& unit) const {
    const auto& place = operand == 0 ? operands_.x : operands_.y;
    out = {.operand = operand,
           .sequence = unit.sequence,
           .unit = unit.unit,
           .bytes = unit.all_brought(),
           .values = place.fetch(unit, burst_),
           .indices = place.index_transfer(unit, burst_),
           .from_host = from_host_[static_cast<std::size_t>(operand)],
           .first_visit = unit.first_visit,
           .staged = {},
           .key = {},
           .base = place.base,
           .index_base = place.index_base,
           .name = place.name};
    if (!out.from_host)
        return;
    out.staged = place.first_visit(unit, burst_);
    if (place.map) {
        const auto& part = unit.first_part;
        const auto plane = place.place_of(unit.instance).first / place.map->map.channel_elements();
        out.key = {place.base, plane + part.channels.begin, part.rows.begin, out.staged.left()};
    } else {
        out.key = {place.base_of(unit.instance), place.element(unit.row, unit.col), 0, unit.bytes};
    }
}

} // namespace systole
