#include <string>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/workload/mapping_file.h"

using namespace systole;

namespace {

const std::string good = R"([[operator]]
name = "qk"
m = 128
n = 64
k = 32
dataflow = "os"
tile = [16, 64, 32]
order = "nmk"
sharing = "m"
)";

MappingFile read(const std::string& text) { return read_mapping_file(text, "best.toml"); }

GemmProblem problem(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmProblem result;
    result.name = name;
    result.m = m;
    result.n = n;
    result.k = k;
    return result;
}

// The place and the message of every problem, one a line.
template <typename Action>
std::string errors_of(Action&& action) {
    std::string all;
    try {
        action();
    } catch (const InputError& error) {
        for (const Diagnostic& one : error.diagnostics()) {
            all += to_string(one.place) + ": " + one.message + "\n";
        }
    }
    return all;
}

std::string without(const std::string& line) {
    std::string text = good;
    text.erase(text.find(line), line.size());
    return text;
}

std::string with(const std::string& old, const std::string& now) {
    std::string text = good;
    text.replace(text.find(old), old.size(), now);
    return text;
}

} // namespace

TEST_CASE("a mapping file says how each operator is laid out", "[workload][mapping_file]") {
    const MappingFile file = read(good);
    REQUIRE(file.operators.size() == 1);
    const SavedMapping& one = file.operators.front();
    CHECK(one.name == "qk");
    CHECK(one.count == 1);
    CHECK(one.choice == MappingChoice{Dataflow::output_stationary, {16, 64, 32}, LoopOrder::nmk, Sharing::m});
}

TEST_CASE("what is written is what is read, whatever the names", "[workload][mapping_file]") {
    const std::vector<SavedMapping> saved{
        {{}, "a \"quoted\"\nname\\", 5, 6, 7, 3, {Dataflow::input_stationary, {1, 2, 3}, LoopOrder::mnk, Sharing::n}},
        {{}, "", 1, 1, 1, 1, {Dataflow::weight_stationary, {1, 1, 1}, LoopOrder::nmk, Sharing::m}}};
    const MappingFile file = read(mapping_file_text(saved));
    REQUIRE(file.operators.size() == saved.size());
    for (std::size_t i = 0; i < saved.size(); ++i) {
        CHECK(file.operators[i].name == saved[i].name);
        CHECK(file.operators[i].m == saved[i].m);
        CHECK(file.operators[i].n == saved[i].n);
        CHECK(file.operators[i].k == saved[i].k);
        CHECK(file.operators[i].count == saved[i].count);
        CHECK(file.operators[i].choice == saved[i].choice);
    }
}

TEST_CASE("an error in a mapping file names its place and a cure", "[workload][mapping_file]") {
    const auto errors = [](const std::string& text) { return errors_of([&] { read(text); }); };
    CHECK(errors(with("order", "ordre")) ==
          "best.toml:1:1: the operator has no 'order' (--save-mapping writes them all)\n"
          "best.toml:8:1: unknown key 'operator.ordre' (did you mean 'operator.order'?)\n");
    CHECK(errors(with("\"nmk\"", "\"kmn\"")) == "best.toml:8:9: 'order' is 'kmn', but must be mnk or nmk\n");
    CHECK(errors(with("\"os\"", "\"rs\"")) == "best.toml:6:12: 'dataflow' is 'rs', but must be ws, os or is\n");
    CHECK(errors(with("\"m\"", "\"k\"")) == "best.toml:9:11: 'sharing' is 'k', but must be m or n\n");
    CHECK(errors(with("[16, 64, 32]", "[16, 64]")) == "best.toml:7:8: 'tile' must be three whole numbers, [M, N, K]\n");
    CHECK(errors(with("16", "0")) == "best.toml:7:9: 'tile' is 0, but must be at least 1\n");
    CHECK(errors(without("m = 128\n")) == "best.toml:1:1: the operator has no 'm' (--save-mapping writes them all)\n");
    CHECK(errors("") ==
          "best.toml: operators are written as [[operator]], in double brackets, and there must be one at least\n");
    CHECK(errors("[[operater]]\n") ==
          "best.toml: operators are written as [[operator]], in double brackets, and there must be one at least\n"
          "best.toml:1:3: unknown key 'operater' (did you mean 'operator'?)\n");
    CHECK(errors("[[operator]\n").starts_with("best.toml:1:"));
}

TEST_CASE("operators of one name take their mappings in order", "[workload][mapping_file]") {
    const MappingFile file = read(good + with("16,", "32,"));
    const auto matched = match(file, {problem("qk", 128, 64, 32), problem("qk", 128, 64, 32)}, std::nullopt);
    REQUIRE(matched.size() == 2);
    CHECK(matched[0].choice.tile.m == 16);
    CHECK(matched[1].choice.tile.m == 32);
}

TEST_CASE("a mapping file of other operators is refused with all that differs", "[workload][mapping_file]") {
    const auto errors = [](const std::vector<GemmProblem>& problems, std::optional<Dataflow> asked = {}) {
        return errors_of([&] { match(read(good), problems, asked); });
    };
    CHECK(errors({problem("qk", 128, 64, 32)}) == "");
    CHECK(errors({problem("qk", 128, 64, 32)}, Dataflow::output_stationary) == "");
    CHECK(errors({problem("qv", 128, 64, 32)}) ==
          "best.toml: has no mapping for operator 'qv' (save one of this run with --save-mapping)\n"
          "best.toml:1:1: the run has no operator 'qk' (remove it)\n");
    CHECK(errors({problem("qk", 128, 64, 32), problem("qk", 128, 64, 32)}) ==
          "best.toml: has no mapping for operator 'qk' (save one of this run with --save-mapping)\n");
    CHECK(errors({problem("qk", 128, 64, 16)}) ==
          "best.toml:1:1: operator 'qk' was mapped as 128x64x32, but is 128x64x16 (MxNxK; save a mapping for it with "
          "--save-mapping)\n");
    CHECK(errors({problem("qk", 128, 64, 32)}, Dataflow::weight_stationary) ==
          "best.toml:1:1: operator 'qk' was mapped for --dataflow os, but ws is asked for (leave --dataflow out)\n");
    GemmProblem heads = problem("qk", 128, 64, 32);
    heads.count = 12;
    CHECK(errors({heads}).find("was mapped as 128x64x32, but is 12 times 128x64x32") != std::string::npos);
    const MappingFile large = read(with("[16, 64", "[16, 65"));
    CHECK(errors_of([&] { match(large, {problem("qk", 128, 64, 32)}, {}); }) ==
          "best.toml:1:1: the tile 16x65x32 of operator 'qk' is larger than its 128x64x32 (MxNxK; no tile needs to "
          "be)\n");
}
