// The closed forms of docs/model.md, "Array timing": R x C PEs, E = edge_latency + mac_latency - 1.
#include <catch2/catch.hpp>

#include "dataflow/array_timing.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// R = 3, C = 5, E = 2 + 4 - 1 = 5: no two of the terms are alike by chance but C and E.
ArrayConfig array_3x5() {
    ArrayConfig array;
    array.rows = 3;
    array.cols = 5;
    array.edge_latency = 2;
    array.mac_latency = 4;
    return array;
}

} // namespace

TEST_CASE("a wave crosses the array in R + C - 2 + E cycles", "[dataflow][array_timing]") {
    auto array = array_3x5();
    CHECK(crossing_latency(array) == 3 + 5 - 2 + 5);
    array.edge_latency = 0;
    CHECK(crossing_latency(array) == 3 + 5 - 2 + (0 + 4 - 1));
    array.mac_latency = 1;
    CHECK(crossing_latency(array) == 3 + 5 - 2 + 0);
    array.rows = array.cols = 1;
    CHECK(crossing_latency(array) == 0); // one PE without registers behind it: the result is out in the same cycle
}

TEST_CASE("rows that are broadcast to all columns drop C - 1 from the crossing", "[dataflow][array_timing]") {
    auto array = array_3x5();
    array.propagation = Propagation::broadcast_rows;
    CHECK(crossing_latency(array) == (3 - 1) + 5);
}

TEST_CASE("only output-stationary results shift out, along the drain axis", "[dataflow][array_timing]") {
    auto array = array_3x5();
    CHECK(drain_cycles(array, os) == 3); // along the columns: R
    array.drain_axis = DrainAxis::rows;
    CHECK(drain_cycles(array, os) == 5); // along the rows: C
    CHECK(drain_cycles(array, ws) == 0);
    CHECK(drain_cycles(array, is) == 0);
    array.drain_axis = DrainAxis::none;
    CHECK(drain_cycles(array, os) == 0);
}

TEST_CASE("a stationary tile shifts in for R cycles", "[dataflow][array_timing]") {
    CHECK(load_cycles(array_3x5()) == 3);
}

TEST_CASE("double-buffered weights behind a wavefront: max(S, R)", "[dataflow][array_timing]") {
    const auto array = array_3x5();
    for (const auto dataflow : {ws, is}) {
        CHECK(pass_interval(array, dataflow, 1) == 3);
        CHECK(pass_interval(array, dataflow, 3) == 3);
        CHECK(pass_interval(array, dataflow, 4) == 4);
    }
}

TEST_CASE("double-buffered weights behind a drained switch: max(S, swap_period)", "[dataflow][array_timing]") {
    auto array = array_3x5();
    array.swap = Swap::drained;
    array.swap_period = 11;
    for (const auto dataflow : {ws, is}) {
        CHECK(pass_interval(array, dataflow, 1) == 11);
        CHECK(pass_interval(array, dataflow, 11) == 11);
        CHECK(pass_interval(array, dataflow, 12) == 12);
    }
}

TEST_CASE("single-buffered weights: load, stream and drain follow each other", "[dataflow][array_timing]") {
    auto array = array_3x5();
    array.weight_buffers = 1;
    // R + S + (R + C - 2 + E)
    CHECK(pass_interval(array, ws, 1) == 3 + 1 + 11);
    CHECK(pass_interval(array, is, 20) == 3 + 20 + 11);
    array.propagation = Propagation::broadcast_rows;
    CHECK(pass_interval(array, ws, 20) == 3 + 20 + 7);
}

TEST_CASE("double-buffered sums shift out behind the next pass: max(S, D)", "[dataflow][array_timing]") {
    auto array = array_3x5();
    CHECK(pass_interval(array, os, 1) == 3);
    CHECK(pass_interval(array, os, 4) == 4);
    array.drain_axis = DrainAxis::rows;
    CHECK(pass_interval(array, os, 4) == 5);
    array.drain_axis = DrainAxis::none;
    CHECK(pass_interval(array, os, 1) == 1);
}

TEST_CASE("single-buffered sums: the array drains before the next pass", "[dataflow][array_timing]") {
    auto array = array_3x5();
    array.accumulator_buffers = 1;
    // S + (R + C - 2 + E) + D
    CHECK(pass_interval(array, os, 4) == 4 + 11 + 3);
    array.drain_axis = DrainAxis::rows;
    CHECK(pass_interval(array, os, 4) == 4 + 11 + 5);
    array.drain_axis = DrainAxis::none;
    CHECK(pass_interval(array, os, 4) == 4 + 11);
}

TEST_CASE("the buffers of the other dataflow make no difference", "[dataflow][array_timing]") {
    auto array = array_3x5();
    array.accumulator_buffers = 1;
    CHECK(pass_interval(array, ws, 4) == 4);
    array = array_3x5();
    array.weight_buffers = 1;
    array.swap_period = 99;
    CHECK(pass_interval(array, os, 4) == 4);
    array.weight_buffers = 2; // swap_period counts with swap = drained alone
    CHECK(pass_interval(array, ws, 4) == 4);
}

TEST_CASE("min_rows is a lower limit for every interval", "[dataflow][array_timing]") {
    for (const int buffers : {1, 2}) {
        for (const Swap swap : {Swap::wavefront, Swap::drained}) {
            auto array = array_3x5();
            array.weight_buffers = array.accumulator_buffers = buffers;
            array.swap = swap;
            array.min_rows = 100;
            for (const auto dataflow : {ws, os, is}) {
                CHECK(pass_interval(array, dataflow, 1) == 100);
                CHECK(pass_interval(array, dataflow, 200) >= 200);
            }
        }
    }
}
