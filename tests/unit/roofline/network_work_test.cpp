#include <catch2/catch.hpp>

#include "sim/roofline/network_work.h"
#include "tests/unit/workload/network_support.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("a network's operators as work: FLOPs, vector operations and compulsory bytes", "[networks]") {
    const Network network = network_of("dtype = \"bf16,int8,bf16\"\n" + input_of("x", "[4,8]") +
                                       "[[operator]]\nname=\"a\"\nfeatures=16\nactivation=\"relu\"\n"
                                       "[[operator]]\nname=\"b\"\nkind=\"reshape\"\nshape=[64]\n"
                                       "[[operator]]\nname=\"h\"\nkind=\"host\"\ntime=\"2 us\"\n"
                                       "[[operator]]\nname=\"t\"\nkind=\"transfer\"\ndirection=\"to_host\"\n");
    const LoweredNetwork lowered = lower(network);
    const auto work = analytic::network_work(network, lowered);
    REQUIRE(work.size() == 2); // the product and its activation; the others do no work on the chip
    CHECK(work[0].work.flops == 2 * 4 * 16 * 8);
    CHECK(work[0].work.in_bytes == 2 * 32 + 8 * 16); // bf16 activations, int8 weights
    CHECK(work[0].work.out_bytes == 2 * 64);
    CHECK(work[0].formats == OperandFormats{Format::bf16, Format::int8, Format::bf16});
    CHECK(work[1].work.flops == 0);
    CHECK(work[1].work.vector_flops == 64);
    CHECK(work[1].work.bytes() == 2 * 2 * 64);
    const analytic::Surroundings around = analytic::surroundings(lowered);
    CHECK(around.host_s == Approx(2e-6));
    CHECK(around.to_host_bytes == 128);
    CHECK(around.to_device_bytes == 0);
}

TEST_CASE("a list of GEMMs counts each of its repetitions", "[networks]") {
    const Network network = network_of("[[operator]]\nm=2\nn=3\nk=4\ncount=5\n");
    const auto work = analytic::network_work(network, lower(network));
    REQUIRE(work.size() == 1);
    CHECK(work[0].work.flops == 5 * 2 * 24);
    CHECK(work[0].work.bytes() == 5 * (8 + 12 + 6));
}
