#include "sim/roofline/matmul.h"

#include <algorithm>

#include "dataflow/operand_bytes.h"
#include "sim/roofline/chip_roofs.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

double bytes_of(std::int64_t elements, Format format) { return as_double(stored_bytes(elements, format)); }

} // namespace

double element_bytes(Format format) { return bits(format) / 8.0; }

Work gemm(const GemmProblem& problem) {
    validate(problem);
    Work work;
    work.name = problem.name;
    work.kind = "gemm";
    work.flops = 2 * as_double(problem.dense_macs());
    work.in_bytes = bytes_of(problem.m * problem.k, problem.formats.a) + as_double(b_bytes(problem).total());
    work.out_bytes = bytes_of(problem.m * problem.n, problem.formats.c);
    work.pe_bytes_per_mac = pe_bytes_per_mac(problem.formats);
    work.shape = {{"m", as_double(problem.m)}, {"n", as_double(problem.n)}, {"k", as_double(problem.k)}};
    return work;
}

Work batched_matmul(std::int64_t batch, const GemmProblem& one) {
    require_positive(as_double(batch), "the batch");
    Work work = gemm(one);
    work.name = "bmm";
    work.kind = "bmm";
    work.flops *= as_double(batch);
    work.in_bytes *= as_double(batch);
    work.out_bytes *= as_double(batch);
    work.shape.insert(work.shape.begin(), {"batch", as_double(batch)});
    return work;
}

Work dot_product(std::int64_t n, Format format) {
    require_positive(as_double(n), "the length of the vectors");
    Work work;
    work.name = work.kind = "dot";
    work.flops = 2 * as_double(n) - 1;
    work.in_bytes = 2 * bytes_of(n, format);
    work.out_bytes = bytes_of(1, format);
    work.shape = {{"n", as_double(n)}};
    return work;
}

Work given_work(const Given& given) {
    require_not_negative(given.flops, "the number of FLOPs");
    for (const double bytes : {given.input_bytes, given.weight_bytes, given.output_bytes}) {
        require_not_negative(bytes, "a number of bytes");
    }
    for (const double reuse : {given.input_reuse, given.weight_reuse, given.output_reuse}) {
        require_positive(reuse, "a factor of reuse");
    }
    Work work;
    work.name = work.kind = "given";
    work.flops = given.flops;
    work.in_bytes = given.input_bytes / given.input_reuse + given.weight_bytes / given.weight_reuse;
    work.out_bytes = given.output_bytes / given.output_reuse;
    return work;
}

double tiled_gemm_bytes(const GemmProblem& problem, const Tile& tile, bool c_is_loaded) {
    validate(problem);
    if (tile.m < 1 || tile.n < 1 || tile.k < 1) {
        throw InputError("the sizes of a tile must be 1 or more");
    }
    const Work once = gemm(problem);
    const double a = bytes_of(problem.m * problem.k, problem.formats.a);
    const double b = once.in_bytes - a;
    const double rows_of_tiles = as_double(ceil_div(problem.m, tile.m));
    const double cols_of_tiles = as_double(ceil_div(problem.n, tile.n));
    return a * cols_of_tiles + b * rows_of_tiles + once.out_bytes * (c_is_loaded ? 2 : 1);
}

double tiled_intensity_limit(double bm, double bn, const OperandFormats& formats) {
    require_positive(bm, "a tile's size");
    require_positive(bn, "a tile's size");
    return 2 * bm * bn / (bm * element_bytes(formats.a) + bn * element_bytes(formats.b));
}

} // namespace systole::analytic
