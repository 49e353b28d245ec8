// Workload files (TOML): networks, and lists of GEMMs, which are the simplest of them.
#pragma once

#include <string>
#include <vector>

#include "dataflow/problem.h"
#include "sim/workload/network_reader.h"

namespace systole {

struct Workload {
    std::string name;
    std::string description;
    std::string source;                 // where the shapes come from
    std::vector<GemmProblem> operators; // formats: those of the file, or the caller's default
};

// `name_or_file`: a path, or a file under configs/workloads/ without its ending. Throws InputError; the second one for
// a network that is no list of GEMMs as well.
Network load_network(const std::string& name_or_file, const NetworkOptions& options);
Workload load_workload(const std::string& name_or_file, const OperandFormats& default_formats);

std::vector<std::string> workload_names();

} // namespace systole
