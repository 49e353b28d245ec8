#include "sim/cli/roofline_request.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/problem_input.h"
#include "sim/cli/values.h"
#include "sim/config/load.h"
#include "sim/workload/sparsity_pattern.h"

namespace systole {

namespace {

using Unit = std::pair<const char*, double>;

constexpr double kibi = 1024;

constexpr std::array<Unit, 9> byte_units{{{"B", 1},
                                          {"kB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"TB", 1e12},
                                          {"KiB", kibi},
                                          {"MiB", kibi* kibi},
                                          {"GiB", kibi* kibi* kibi},
                                          {"TiB", kibi* kibi* kibi* kibi}}};
constexpr std::array<Unit, 5> bandwidth_units_table{
    {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}};
constexpr std::array<Unit, 5> time_units_table{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}}};
constexpr std::array<Unit, 4> frequency_units_table{{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};

std::string unit_list(std::span<const Unit> units) {
    std::string text;
    for (const auto& [name, factor] : units) {
        text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

[[noreturn]] void reject(const std::string& option, const std::string& text, std::span<const Unit> units) {
    const std::string cure = units.empty() ? "write a number from 0 up, like 0.5 or 1e12"
                                           : "write a number from 0 up and, if any, one of " + unit_list(units);
    throw InputError(fmt::format("{} '{}' is not understood ({})", option, text.substr(0, 60), cure));
}

// 500 us is 500 / 1e6 s: dividing by a whole power of ten keeps decimal numbers as exact as they can be.
double scaled_by(double value, double factor) { return factor < 1 ? value / std::round(1 / factor) : value * factor; }

double read(const std::string& option, const std::string& text, std::span<const Unit> units) {
    const bool starts_well =
        !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '.');
    const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    if (!starts_well || hexadecimal) {
        reject(option, text, units);
    }
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end); // the locale is never set: '.' is the decimal point
    std::string rest(end);
    rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
    if (!std::isfinite(value)) {
        reject(option, text, units);
    }
    if (rest.empty()) {
        return value;
    }
    for (const auto& [name, factor] : units) {
        if (rest == name) {
            return scaled_by(value, factor);
        }
    }
    reject(option, text, units);
}

void read_sparsity(const ParsedOptions& options, ChipRequest& request) {
    if (const auto text = options.get("--sparsity")) {
        const Parsed<SparsePattern> parsed = parse_sparsity_pattern(*text);
        if (!parsed.value) {
            throw InputError("--sparsity " + parsed.error);
        }
        request.sparsity = parsed.value;
    }
    if (options.has("--eta") && request.sparsity_or_dense().dense()) {
        throw InputError("--eta is the efficiency of sparsity (give --sparsity 2:4 too)");
    }
    request.eta = number_option(options, "--eta", real_of, 1);
}

// `eta` of the speed-up that the pattern promises: M / N.
analytic::Roofs with_sparsity(analytic::Roofs roofs, SparsePattern pattern, double eta) {
    if (!pattern.dense()) {
        roofs.peak = analytic::sparse_peak(roofs.peak, eta, static_cast<double>(pattern.group) / pattern.keep);
    }
    return roofs;
}

} // namespace

double real_of(const std::string& option, const std::string& text) { return read(option, text, {}); }

double bytes_of(const std::string& option, const std::string& text) { return read(option, text, byte_units); }

double bandwidth_of(const std::string& option, const std::string& text) {
    return read(option, text, bandwidth_units_table);
}

double seconds_of(const std::string& option, const std::string& text) { return read(option, text, time_units_table); }

double frequency_of(const std::string& option, const std::string& text) {
    return read(option, text, frequency_units_table);
}

double number_option(const ParsedOptions& options, const std::string& option, Reader reader,
                     std::optional<double> usual) {
    const std::optional<std::string> text = options.get(option);
    if (text) {
        return reader(option, *text);
    }
    if (!usual) {
        throw InputError(fmt::format("{} is not given (it has no usual value; --help explains it)", option));
    }
    return *usual;
}

std::int64_t count_option(const ParsedOptions& options, const std::string& option, std::optional<std::int64_t> usual) {
    constexpr std::int64_t most = std::int64_t{1} << 50;
    const std::optional<std::int64_t> value = integer_option(options, option, 1, most);
    if (!value && !usual) {
        throw InputError(fmt::format("{} is not given (it has no usual value; --help explains it)", option));
    }
    return value ? *value : *usual;
}

analytic::Roofs ChipRequest::all_roofs(const OperandFormats& of) const {
    return with_sparsity(analytic::chip_roofs(machine, of, rates), sparsity_or_dense(), eta);
}

analytic::Roofs ChipRequest::roofs(const OperandFormats& of, SparsePattern pattern) const {
    return analytic::seen_from(with_sparsity(analytic::chip_roofs(machine, of, rates), pattern, eta), from);
}

analytic::Roofs ChipRequest::vector_roofs() const {
    return analytic::seen_from(analytic::vector_roofs(machine, formats.a, rates), from);
}

std::vector<OptionSpec> chip_options() {
    return {
        {"--chip", "NAME|FILE", "the chip (`systole info chips`)"},
        {"--set", "KEY=VALUE", "changes a value of the chip (`systole info keys`)", true},
        {"--dtype", "A[,B[,C]]",
         "formats: activations, weights, results; B and C like A if left out (the chip's first one)"},
        {"--rates", "nominal|machine", "peaks and bandwidths of the data sheet, or of the simulated machine (nominal)"},
        {"--from", "vmem|hbm|host", "where the operands are at the start and the result ends (hbm)"},
        {"--sparsity", "dense|2:4",
         "B in N:M structured sparsity: the peak is M/N * eta * dense; of a matrix product, also of a split one, B's "
         "bytes are those stored, other operators keep theirs (dense, or as a file says)"},
        {"--eta", "X", "efficiency of --sparsity, 0 to 1 (1)"},
    };
}

ChipRequest chip_request(const ParsedOptions& options) {
    const std::optional<std::string> chip = options.get("--chip");
    if (!chip) {
        throw InputError("no chip (give --chip NAME; `systole info chips` lists them)");
    }
    ChipRequest request;
    request.rates =
        word_option(options, "--rates", analytic::parse_rates, "nominal or machine").value_or(analytic::Rates::nominal);
    request.from = word_option(options, "--from", parse_data_origin, "vmem, hbm or host").value_or(DataOrigin::hbm);
    read_sparsity(options, request);
    request.machine = load_machine(*chip, options.all("--set"));
    const Format usual = request.machine.default_format;
    request.formats = asked_formats(options).value_or(OperandFormats{usual, usual, usual});
    return request;
}

std::string dtype_text(const OperandFormats& formats) {
    if (formats.a == formats.b && formats.a == formats.c) {
        return std::string(name(formats.a));
    }
    return fmt::format("{},{},{}", name(formats.a), name(formats.b), name(formats.c));
}

RooflineAnswer answer_about(const ChipRequest& request, const std::string& topic) {
    RooflineAnswer answer;
    answer.chip = request.machine.name;
    answer.chip_text = request.machine.description;
    answer.topic = topic;
    return answer;
}

RooflineAnswer answer_with(const ChipRequest& request, const analytic::Work& work) {
    RooflineAnswer answer = answer_about(request, work.kind);
    const analytic::Roofs roofs = work.flops > 0 ? request.roofs() : request.vector_roofs();
    const SparsePattern sparsity = work.flops > 0 ? request.sparsity_or_dense() : dense_pattern;
    answer.operators.push_back({analytic::evaluate(work, roofs), dtype_text(request.formats), name(sparsity)});
    return answer;
}

int write_answer(const RooflineAnswer& answer, const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv});
    const auto write = format == OutputFormat::json  ? roofline_json
                       : format == OutputFormat::csv ? roofline_csv
                                                     : roofline_text;
    write_result(write(answer), options, session);
    return exit_good;
}

} // namespace systole
