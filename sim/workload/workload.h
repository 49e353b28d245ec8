// Workload files (TOML): named GEMMs with their source.
#pragma once

#include <string>
#include <vector>

#include "dataflow/problem.h"

namespace systole {

struct Workload {
    std::string name;
    std::string description;
    std::string source;                 // where the shapes come from
    std::vector<GemmProblem> operators; // formats: those of the file, or the caller's default
};

// `name_or_file`: a path, or a file under configs/workloads/ without its ending. Throws InputError.
Workload load_workload(const std::string& name_or_file, const OperandFormats& default_formats);

std::vector<std::string> workload_names();

} // namespace systole
