// Mapping files (TOML): how each operator of a run is laid on the cores, to be run again in the same way.
//
//     [[operator]]
//     name = "qk"
//     m = 128
//     n = 128
//     k = 64
//     count = 12              # products of that shape; 1 if left out
//     dataflow = "ws"
//     tile = [128, 128, 64]   # M, N, K of a VMEM tile
//     order = "mnk"           # or "nmk": the loops over the tiles, outermost first
//     sharing = "n"           # or "m": what the arrays of a core share
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataflow/mapping_choice.h"
#include "sim/base/error.h"

namespace systole {

struct SavedMapping {
    Place place; // of its table
    std::string name;
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t count = 1;
    MappingChoice choice;
};

struct MappingFile {
    std::string file;
    std::vector<SavedMapping> operators;
};

// Throws InputError with all problems of the text.
MappingFile read_mapping_file(const std::string& text, const std::string& file);
MappingFile load_mapping_file(const std::string& file);

// The mapping of each problem, by its name; of several with one name, by their order. Throws InputError for names that
// are in one of both alone, for shapes that differ and, if a dataflow is asked for, for another one.
std::vector<SavedMapping> match(const MappingFile& mappings, const std::vector<GemmProblem>& problems,
                                std::optional<Dataflow> asked);

// What read_mapping_file() takes.
std::string mapping_file_text(const std::vector<SavedMapping>& operators);

} // namespace systole
