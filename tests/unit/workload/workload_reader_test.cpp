#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/workload/workload_reader.h"

using namespace systole;

namespace {

const OperandFormats int8_formats{Format::int8, Format::int8, Format::int8};

Workload read(const std::string& text) { return read_workload(text, "folder/net.toml", int8_formats); }

std::vector<std::string> errors_of(const std::string& text) {
    try {
        read(text);
    } catch (const InputError& error) {
        std::vector<std::string> lines;
        for (const Diagnostic& one : error.diagnostics()) {
            lines.push_back(to_string(one.place) + ": " + one.message);
        }
        return lines;
    }
    return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("a workload file is read in its order") {
    const Workload workload = read("description = \"two\"\nsource = \"a paper\"\ndtype = \"bf16\"\n"
                                   "[[operator]]\nname = \"qk\"\nkind = \"gemm\"\nm = 1\nn = 2\nk = 3\n"
                                   "[[operator]]\nm = 4\nn = 5\nk = 6\ndtype = \"int8,int4,int32\"\n");
    CHECK(workload.name == "net");
    CHECK(workload.description == "two");
    CHECK(workload.source == "a paper");
    REQUIRE(workload.operators.size() == 2);
    const GemmProblem& first = workload.operators[0];
    CHECK(first.name == "qk");
    CHECK((first.m == 1 && first.n == 2 && first.k == 3));
    CHECK(first.formats == OperandFormats{Format::bf16, Format::bf16, Format::bf16});
    CHECK(workload.operators[1].name == "op1");
    CHECK(workload.operators[1].formats == OperandFormats{Format::int8, Format::int4, Format::int32});
}

TEST_CASE("without a dtype the caller's formats hold") {
    CHECK(read("[[operator]]\nm=1\nn=1\nk=1\n").operators[0].formats == int8_formats);
}

TEST_CASE("count repeats an operator under numbered names") {
    const Workload workload = read("[[operator]]\nname=\"a\"\nm=1\nn=1\nk=1\ncount=3\n");
    REQUIRE(workload.operators.size() == 3);
    CHECK(workload.operators[0].name == "a[0]");
    CHECK(workload.operators[2].name == "a[2]");
}

TEST_CASE("all errors of a workload file come at once, in the order of its lines, with places and cures") {
    const auto errors = errors_of("descripton = \"x\"\n"  // line 1: misspelt
                                  "dtype = \"int9\"\n"    // line 2: no such format
                                  "[[operator]]\n"        // line 3: no k
                                  "m = 0\n"               // line 4: below 1
                                  "n = \"7\"\n"           // line 5: text
                                  "[[operator]]\n"        //
                                  "m = 1\nn = 1\nk = 1\n" //
                                  "kind = \"lstm\"\n"     // line 10: unknown kind
                                  "kk = 3\n");            // line 11: unknown key
    REQUIRE(errors.size() == 7);
    CHECK(has(errors[0], "folder/net.toml:1:1: unknown key 'descripton' (did you mean 'description'?)"));
    CHECK(has(errors[1], "folder/net.toml:2:9: 'int9' is not a number format"));
    CHECK(has(errors[2], "folder/net.toml:3:1: operator 'op0' has no 'k'"));
    CHECK(has(errors[3], "folder/net.toml:4:5: 'm' is 0, but must be at least 1"));
    CHECK(has(errors[4], "folder/net.toml:5:5: 'n' must be a whole number"));
    CHECK(has(errors[5], "folder/net.toml:10:8: unknown kind 'lstm'"));
    CHECK(has(errors[6], "folder/net.toml:11:1: unknown key 'operator.kk'"));
}

TEST_CASE("files that are no workload are refused") {
    for (const char* const text :
         {"", "# nothing\n", "operator = 3\n", "[operator]\nm=1\n", "operator = []\n", "operator = [1, 2]\n",
          "[[operator]]\nm = 1\nm = 2\nn = 1\nk = 1\n", "= 3\n", "[[operator]]\nm = -1\nn = 1\nk = 1\n",
          "[[operator]]\nm = 99999999999999999999\nn = 1\nk = 1\n", "[[operator]]\nm = 1.5\nn = 1\nk = 1\n",
          "[[operator]]\nm = 9223372036854775807\nn = 9223372036854775807\nk = 1\n",
          "[[operator]]\nm = 1\nn = 1\nk = 1\ncount = 0\n", "[[operator]]\nm = 1\nn = 1\nk = 1\ncount = 100001\n",
          "description = 3\n[[operator]]\nm = 1\nn = 1\nk = 1\n"}) {
        INFO(text);
        CHECK(errors_of(text).size() == 1);
    }
}

TEST_CASE("a line of a million dots is an error, not the end of the stack") {
    const std::string dots = "a" + std::string(1'000'000, '.') + "b = 1\n";
    REQUIRE(errors_of("\n" + dots).size() == 1);
    CHECK(has(errors_of("\n" + dots)[0], "folder/net.toml:2:1: too many dots"));
}

TEST_CASE("a network of other operators is not read as a list of GEMMs, and the message says what takes it") {
    const auto errors = errors_of("[[tensor]]\nname=\"x\"\nshape=[2,3]\n[[operator]]\nname=\"y\"\nkind=\"relu\"\n");
    REQUIRE(errors.size() == 1);
    CHECK(has(errors[0], "folder/net.toml:4:1: operator 'y' (elementwise) is part of a network"));
    CHECK(has(errors[0], "systole simulate --workload"));
}

TEST_CASE("operators of a list of GEMMs may have the same name") {
    const Workload workload =
        read("[[operator]]\nname=\"a\"\nm=1\nn=1\nk=1\n[[operator]]\nname=\"a\"\nm=2\nn=1\nk=1\n");
    REQUIRE(workload.operators.size() == 2);
    CHECK(workload.operators[0].name == workload.operators[1].name);
}

TEST_CASE("no operator may have the name of the whole run") {
    CHECK(errors_of("[[operator]]\nname=\"a\"\nm=1\nn=1\nk=1\n[[operator]]\nname=\"total\"\nm=1\nn=1\nk=1\n") ==
          std::vector<std::string>{"folder/net.toml:6:1: 'total' is the name of the whole run in the results (give the "
                                   "operator another one)"});
    CHECK(errors_of("[[operator]]\nname=\"totals\"\nm=1\nn=1\nk=1\n").empty());
}

TEST_CASE("an unknown workload is refused with the nearest name") {
    try {
        load_workload("bert_base_atention", int8_formats);
        FAIL("was read");
    } catch (const InputError& error) {
        CHECK(has(error.what(), "bert_base_attention"));
    }
}
