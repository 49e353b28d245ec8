#include <catch2/catch.hpp>

#include "dataflow/problem.h"
#include "sim/base/error.h"

using namespace systole;

TEST_CASE("dataflows and data origins are found by the names they print", "[dataflow][problem]") {
    for (const Dataflow dataflow :
         {Dataflow::weight_stationary, Dataflow::output_stationary, Dataflow::input_stationary}) {
        CHECK(parse_dataflow(short_name(dataflow)) == dataflow);
    }
    CHECK(short_name(Dataflow::weight_stationary) == "ws");
    CHECK(long_name(Dataflow::output_stationary) == "output-stationary");
    CHECK(long_name(Dataflow::input_stationary) == "input-stationary");
    CHECK_FALSE(parse_dataflow("weight-stationary"));
    for (const DataOrigin origin : {DataOrigin::vmem, DataOrigin::hbm, DataOrigin::host}) {
        CHECK(parse_data_origin(name(origin)) == origin);
    }
    CHECK_FALSE(parse_data_origin("pcie"));
}

TEST_CASE("a GEMM with dimensions below one names every one of them", "[dataflow][problem]") {
    CHECK_NOTHROW(validate({"gemm", 1, 1, 1, {}}));
    CHECK_THROWS_WITH(validate({"qk", 0, 4, -3, {}}), "qk: M = 0 (every dimension of a GEMM must be at least 1)\n"
                                                      "qk: K = -3 (every dimension of a GEMM must be at least 1)");
}

TEST_CASE("a GEMM whose counts leave 64 bits is refused", "[dataflow][problem]") {
    const std::int64_t two_31 = std::int64_t{1} << 31;
    CHECK_NOTHROW(validate({"gemm", two_31, max_macs / two_31, 1, {}}));
    CHECK_THROWS_AS(validate({"gemm", two_31, max_macs / two_31 + 1, 1, {}}), InputError);
    CHECK_THROWS_WITH(validate({"gemm", two_31, two_31, 1, {}}), // 2^62 MACs
                      "gemm: a GEMM of 2147483648x2147483648x1 has more operations or bytes than 64 bits can count "
                      "(split it into smaller ones)");
    CHECK_THROWS_AS(validate({"gemm", 4'000'000'000, 4'000'000'000, 4'000'000'000, {}}), InputError);
    CHECK_THROWS_AS(validate({"gemm", INT64_MAX, INT64_MAX, INT64_MAX, {}}), InputError);
    CHECK_THROWS_AS(validate({"gemm", INT64_MAX, 1, 1, {}}), InputError);
}
