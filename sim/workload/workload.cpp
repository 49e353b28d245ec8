#include "sim/workload/workload.h"

#include "sim/base/text_file.h"
#include "sim/config/config_files.h"
#include "sim/workload/workload_reader.h"

namespace systole {

namespace {

const ConfigFolder folder{"workloads", "workload", "systole info workloads"};

} // namespace

Workload load_workload(const std::string& name_or_file, const OperandFormats& default_formats) {
    const std::filesystem::path file = find_config(folder, name_or_file);
    return read_workload(read_text_file(file, "a workload file"), file.string(), default_formats);
}

Network load_network(const std::string& name_or_file, const NetworkOptions& options) {
    const std::filesystem::path file = find_config(folder, name_or_file);
    return read_network(read_text_file(file, "a workload file"), file.string(), options);
}

std::vector<std::string> workload_names() { return config_names(folder); }

} // namespace systole
