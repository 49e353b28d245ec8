// Options of `systole roofline` as numbers, and the chip they are asked of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataflow/problem.h"
#include "sim/cli/command.h"
#include "sim/cli/roofline_answer.h"
#include "sim/roofline/chip_roofs.h"

namespace systole {

// A number, with a unit where the kind has some: "1e12", "1.5 MB", "32 GB/s", "500 us". Without one it is bytes,
// bytes/s, seconds, Hz or FLOP/s. Throw InputError that names the option and what would be right.
double real_of(const std::string& option, const std::string& text);
double bytes_of(const std::string& option, const std::string& text);
double bandwidth_of(const std::string& option, const std::string& text);
double seconds_of(const std::string& option, const std::string& text);
double frequency_of(const std::string& option, const std::string& text);

// One option by one of the readers above; `usual` where it is not given, and without that it must be.
using Reader = double (*)(const std::string& option, const std::string& text);
double number_option(const ParsedOptions& options, const std::string& option, Reader reader,
                     std::optional<double> usual = std::nullopt);

// A whole number from 1 up.
std::int64_t count_option(const ParsedOptions& options, const std::string& option,
                          std::optional<std::int64_t> usual = std::nullopt);

// --chip, --set, --dtype, --rates, --from, --sparsity and --eta.
struct ChipRequest {
    Machine machine;
    analytic::Rates rates = analytic::Rates::nominal;
    DataOrigin from = DataOrigin::hbm;
    OperandFormats formats;
    std::optional<SparsePattern> sparsity; // asked for: it goes before what a file says
    double eta = 1;                        // 1 unless a sparsity is asked for

    SparsePattern sparsity_or_dense() const { return sparsity.value_or(dense_pattern); }

    // Of the whole chip, or of the levels that data from `from` crosses; the peak is that of the sparsity.
    analytic::Roofs all_roofs(const OperandFormats& of) const;
    analytic::Roofs roofs(const OperandFormats& of, SparsePattern pattern) const;
    analytic::Roofs roofs() const { return roofs(formats, sparsity_or_dense()); }
    analytic::Roofs vector_roofs() const; // of work that the vector unit does
};

std::vector<OptionSpec> chip_options();
ChipRequest chip_request(const ParsedOptions& options);

std::string dtype_text(const OperandFormats& formats);

// An answer about that chip, without operators yet.
RooflineAnswer answer_about(const ChipRequest& request, const std::string& topic);

// The same with one operator, evaluated on the chip's roofs.
RooflineAnswer answer_with(const ChipRequest& request, const analytic::Work& work);

// Writes it in the format asked for; returns an ExitCode.
int write_answer(const RooflineAnswer& answer, const ParsedOptions& options, const Session& session);

} // namespace systole
