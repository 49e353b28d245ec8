// Where the operands of a core's share lie in memory, and which elements a unit stands for.
#pragma once

#include <optional>

#include "dataflow/operand_transfer.h"
#include "dataflow/schedule.h"

namespace systole {

// The feature map of a convolution, whose A is in no matrix: groups * channels planes of each image.
struct MapLayout {
    FeatureMap map;
    std::int64_t channels = 1; // of a group
    std::int64_t groups = 1;
};

// One matrix, row-major, of `cols` columns. (row0, col0): the core's share within it. Of several products the matrices
// lie one behind the other; the core's first is number `instance0`.
struct MatrixPlace {
    std::uint64_t base = 0;
    Bytes instance_bytes = 0; // from one to the next
    std::int64_t instance0 = 0;
    std::int64_t cols = 0;
    Format format = Format::int8;
    std::int64_t row0 = 0;
    std::int64_t col0 = 0;
    bool transposed = false;        // the matrix holds the oriented operand's transpose
    const char* name = "";          // the user's: "A", "B", "C"
    std::optional<MapLayout> map{}; // instead of the matrix

    // Of a sparse B: its indices lie by themselves, those of a unit side by side.
    bool sparse = false;
    std::uint64_t index_base = 0;
    Bytes index_first = 0; // those of the core's share among them

    std::uint64_t base_of(std::int64_t instance) const {
        return base + static_cast<std::uint64_t>((instance0 + instance) * instance_bytes);
    }
    // Position in the whole matrix: what two cores that ask for the same elements have in common.
    std::int64_t element(std::int64_t row, std::int64_t col) const {
        return (row0 + (transposed ? col : row)) * cols + col0 + (transposed ? row : col);
    }

    // Of the pixel rows of a part of the map.
    MapPlace place_of(std::int64_t instance) const {
        return {.base = base,
                .first = (instance0 + instance) * map->channels * map->map.channel_elements(),
                .image_elements = map->groups * map->channels * map->map.channel_elements(),
                .element_bits = bits(format)};
    }
    // What a unit brings into VMEM, and what it is the first to bring over the link.
    OperandTransfer fetch(const UnitRef& unit, Bytes burst) const {
        return map ? OperandTransfer(map->map, unit.part, place_of(unit.instance), burst) : transfer(unit, burst);
    }
    OperandTransfer first_visit(const UnitRef& unit, Bytes burst) const {
        return map ? OperandTransfer(map->map, unit.first_part, place_of(unit.instance), burst) : transfer(unit, burst);
    }

    // The transfer of elements of the oriented operand; of `part`, instance, place and extents count.
    DmaDescriptor transfer(const UnitRef& part, Bytes burst) const {
        return DmaDescriptor({.base = base_of(part.instance),
                              .first = element(part.row, part.col),
                              .rows = transposed ? part.cols : part.rows,
                              .cols = transposed ? part.rows : part.cols,
                              .pitch = cols,
                              .element_bits = bits(format)},
                             burst);
    }
    DmaDescriptor index_transfer(const UnitRef& unit, Bytes burst) const {
        if (unit.index_bytes == 0)
            return {};
        constexpr int byte = 8;
        return DmaDescriptor({.base = index_base,
                              .first = index_first + unit.index_offset,
                              .rows = 1,
                              .cols = unit.index_bytes,
                              .pitch = unit.index_bytes,
                              .element_bits = byte},
                             burst);
    }
};

struct OperandMap {
    MatrixPlace x, y, out; // of the oriented problem
};

} // namespace systole
