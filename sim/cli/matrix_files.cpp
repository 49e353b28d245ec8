#include "sim/cli/matrix_files.h"

#include <filesystem>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/values.h"
#include "sim/workload/npy.h"

namespace systole {

namespace fs = std::filesystem;

namespace {

std::optional<GivenMatrix> read_matrix(const ParsedOptions& options, const std::string& option) {
    const std::optional<std::string> file = path_option(options, option);
    if (!file) {
        return std::nullopt;
    }
    NpyMatrix matrix = read_npy(*file);
    return GivenMatrix{matrix.rows, matrix.cols, std::move(matrix.values), fmt::format("{} {}", option, *file)};
}

std::optional<Pruning> parse_pruning(std::string_view text) {
    return text == "magnitude" ? std::optional(Pruning::magnitude) : std::nullopt;
}

void require_other_file(const ParsedOptions& options, const std::string& result) {
    for (const char* const operand : {"--a", "--b"}) {
        const auto file = path_option(options, operand);
        std::error_code error; // of a file that is not there: it is another one
        if (file && fs::equivalent(*file, result, error)) {
            throw InputError(fmt::format("--c {} would overwrite the file of {}", result, operand));
        }
    }
}

} // namespace

GivenOperands read_given_operands(const ParsedOptions& options) {
    GivenOperands given;
    given.pruning = word_option(options, "--prune", parse_pruning, "magnitude").value_or(Pruning::none);
    const bool matrices = options.has("--a") || options.has("--b") || options.has("--c");
    for (const char* const several : {"--workload", "--topology"}) {
        if (matrices && options.has(several)) {
            throw InputError(
                fmt::format("--a, --b and --c are the matrices of one GEMM, {} has many (use --gemm)", several));
        }
    }
    given.a = read_matrix(options, "--a");
    given.b = read_matrix(options, "--b");
    return given;
}

std::optional<GemmProblem> problem_of_matrices(const ParsedOptions& options, const GivenOperands& given) {
    if (options.has("--gemm") || options.has("--conv") || !given.a || !given.b) {
        return std::nullopt;
    }
    if (given.a->cols != given.b->rows) {
        throw InputError(fmt::format("{} is {}x{} and {} is {}x{}: the columns of A must be as many as the rows of B",
                                     given.a->origin, given.a->rows, given.a->cols, given.b->origin, given.b->rows,
                                     given.b->cols));
    }
    GemmProblem problem;
    problem.m = given.a->rows;
    problem.n = given.b->cols;
    problem.k = given.a->cols;
    validate(problem);
    return problem;
}

void check_pruning(const GivenOperands& given, const std::vector<GemmProblem>& problems) {
    for (const GemmProblem& problem : problems) {
        if (given.pruning != Pruning::none && problem.sparsity.dense()) {
            throw InputError(fmt::format("--prune magnitude, but {} is dense (give --sparsity 2:4 too)", problem.name));
        }
    }
}

ResultMatrix::ResultMatrix(const ParsedOptions& options) {
    const auto file = path_option(options, "--c");
    if (!file) {
        return;
    }
    if (*file == "-") {
        throw InputError("--c - is not possible: standard output is for the report (name a file)");
    }
    require_other_file(options, *file);
    file_ = std::make_unique<OutputFile>(*file);
}

void ResultMatrix::collect_from(RunOptions& run) {
    if (file_) {
        run.take_result = [this](const GemmProblem& problem, const std::vector<double>& c) {
            text_ = npy_text(problem.formats.c, problem.count * problem.m, problem.n, c);
        };
    }
}

void ResultMatrix::commit() {
    if (file_ && !text_.empty()) {
        file_->commit(text_);
    }
}

} // namespace systole
