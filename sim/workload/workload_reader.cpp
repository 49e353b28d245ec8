#include "sim/workload/workload_reader.h"

#include "sim/base/error.h"

namespace systole {

Workload read_workload(const std::string& text, const std::string& file, const OperandFormats& default_formats) {
    const Network network = read_network(text, file, {default_formats, std::nullopt, {}});
    for (const Operator& one : network.operators) {
        if (!one.standalone) {
            throw InputError(one.place, "operator '" + one.name + "' (" + std::string(kind_name(one.attributes)) +
                                            ") is part of a network; here a file may hold GEMMs of m, n and k alone "
                                            "(`systole simulate --workload` runs networks)");
        }
    }
    return {network.name, network.description, network.source, gemms(network)};
}

} // namespace systole
