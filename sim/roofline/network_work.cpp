#include "sim/roofline/network_work.h"

#include <string>

#include "sim/roofline/chip_roofs.h"

namespace systole::analytic {

namespace {

OperandFormats formats_of(const Network& network, const Operator& from, const LoweredOperator& made) {
    for (const Task& task : made.tasks) {
        if (const auto* matrix = std::get_if<MatrixTask>(&task)) {
            return matrix->formats;
        }
    }
    const Format format = network.tensors[static_cast<std::size_t>(from.output)].format;
    return {format, format, format};
}

// Sizes of the product, where there is one alone.
void add_shape(Work& work, const LoweredOperator& made) {
    const MatrixTask* only = nullptr;
    for (const Task& task : made.tasks) {
        if (const auto* matrix = std::get_if<MatrixTask>(&task)) {
            if (only != nullptr) {
                return;
            }
            only = matrix;
        }
    }
    if (only != nullptr) {
        work.shape = {{"m", static_cast<double>(only->m)},
                      {"n", static_cast<double>(only->n)},
                      {"k", static_cast<double>(only->k)},
                      {"count", static_cast<double>(only->count)}};
    }
}

} // namespace

std::vector<OperatorWork> network_work(const Network& network, const LoweredNetwork& lowered) {
    std::vector<OperatorWork> all;
    for (const LoweredOperator& made : lowered.operators) {
        const Operator& from = network.operators[made.index];
        const Bytes read = made.read_bytes();
        const Bytes written = made.written_bytes();
        if (made.macs == 0 && made.vector_operations == 0 && read + written == 0) {
            continue;
        }
        OperatorWork one;
        one.formats = formats_of(network, from, made);
        one.work.name = from.name;
        one.work.kind = std::string(kind_name(from.attributes));
        const auto count = static_cast<double>(made.count);
        one.work.flops = 2 * count * static_cast<double>(made.macs);
        one.work.vector_flops = count * static_cast<double>(made.vector_operations);
        one.work.in_bytes = count * static_cast<double>(read);
        one.work.out_bytes = count * static_cast<double>(written);
        if (made.macs > 0) {
            one.work.pe_bytes_per_mac = pe_bytes_per_mac(one.formats);
        }
        add_shape(one.work, made);
        all.push_back(std::move(one));
    }
    return all;
}

Surroundings surroundings(const LoweredNetwork& lowered) {
    Surroundings sum;
    for (const LoweredOperator& made : lowered.operators) {
        for (const Task& task : made.tasks) {
            if (const auto* host = std::get_if<HostTask>(&task)) {
                sum.host_s += static_cast<double>(host->time) * 1e-12;
            } else if (const auto* transfer = std::get_if<TransferTask>(&task)) {
                double& bytes = transfer->to_device ? sum.to_device_bytes : sum.to_host_bytes;
                bytes += static_cast<double>(transfer->data.bytes);
            }
        }
    }
    return sum;
}

} // namespace systole::analytic
