#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/values.h"

using namespace systole;

namespace {

const CommandSpec spec{"run", "Runs.", "",
                       with_common_options({{"--size", "N", "how large"}, {"--set", "K=V", "sets", true}}, "text"), ""};

CommandSpec with_words() {
    CommandSpec result = spec;
    result.positionals = "FILE...";
    return result;
}

std::string error_of(const std::vector<std::string>& arguments) {
    try {
        parse_options(spec, arguments);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string shape_error(const std::string& text) {
    try {
        parse_shape("--gemm", text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("options take the next word or what follows an equals sign") {
    const ParsedOptions options =
        parse_options(spec, {"--size", "3", "--set=a=b", "--set", "c=d", "--quiet", "-o", "f"});
    CHECK(options.get("--size") == "3");
    CHECK(options.all("--set") == std::vector<std::string>{"a=b", "c=d"});
    CHECK(options.has("--quiet"));
    CHECK(options.get("-o") == "f");
    CHECK_FALSE(options.has("--format"));
    CHECK(options.get("--format") == std::nullopt);
    CHECK(options.all("--format").empty());
}

TEST_CASE("a value may start with a minus, and be empty after an equals sign") {
    CHECK(parse_options(spec, {"--size", "-1"}).get("--size") == "-1");
    CHECK(parse_options(spec, {"--size="}).get("--size") == "");
}

TEST_CASE("a value is taken as it stands") {
    for (const char* const value : {"-3", "-3x", "-", "=", "a=b", " ", "-x y", "--unknown", "-1x2x3", "\xff", "word"}) {
        INFO(value);
        CHECK(parse_options(spec, {"--size", value}).get("--size") == value);
        CHECK(parse_options(spec, {std::string("--size=") + value}).get("--size") == value);
        CHECK(parse_options(spec, {"--set", value, "--set", value}).all("--set") ==
              std::vector<std::string>{value, value});
        CHECK(parse_options(spec, {"-o", value, "--quiet"}).get("-o") == value);
    }
    CHECK(parse_options(spec, {"--size", ""}).get("--size") == "");
    CHECK(parse_options(spec, {"--set=", "--set", ""}).all("--set") == std::vector<std::string>{"", ""});
}

TEST_CASE("an option of the command in the place of a value is a forgotten value, after an equals sign it is one") {
    for (const char* const word : {"--quiet", "--size", "--size=3", "--size=", "-o", "--"}) {
        INFO(word);
        CHECK(error_of({"--size", word}) == "--size needs a value: --size N");
        CHECK(error_of({"-o", word}) == "-o needs a value: -o FILE");
        CHECK(error_of({"--set", word, "--quiet"}) == "--set needs a value: --set K=V");
        CHECK(parse_options(spec, {std::string("--size=") + word}).get("--size") == word);
    }
    CHECK(error_of({"-o"}) == "-o needs a value: -o FILE");
}

TEST_CASE("abbreviations are not guessed, the nearest option is named") {
    CHECK(has(error_of({"--siz", "3"}), "unknown option '--siz' of run (did you mean '--size'?)"));
    CHECK(has(error_of({"--xyzzy"}), "`systole run --help` lists them"));
    CHECK(has(error_of({"-x"}), "unknown option '-x'"));
    CHECK(has(error_of({"--siz=3"}), "unknown option '--siz' of run (did you mean '--size'?)"));
    CHECK(has(error_of({"--SIZE", "3"}), "unknown option '--SIZE'"));
    CHECK(has(error_of({"--" + std::string(100000, 'x')}), "unknown option '--xxx"));
}

TEST_CASE("an option has one spelling") {
    for (const char* const word : {"-size", "-ofile", "-o=file", "---o", "--o", "---size", "---", "--=", "--=x", "-3",
                                   "-=", "--*", "--size ", "--,o", "- o"}) {
        INFO(word);
        CHECK(has(error_of({word, "1"}), "unknown option '" + std::string(word)));
        CHECK_FALSE(error_of({word}).empty());
    }
    CHECK(has(error_of({"-size", "3"}), "did you mean '--size'?"));
}

TEST_CASE("missing, superfluous and repeated values are refused") {
    CHECK(error_of({"--size"}) == "--size needs a value: --size N");
    CHECK(error_of({"--size", "--quiet"}) == "--size needs a value: --size N");
    CHECK(error_of({"--quiet=1"}) == "--quiet takes no value");
    CHECK(error_of({"--quiet="}) == "--quiet takes no value");
    CHECK(error_of({"-o", "a", "-o", "a"}) == "-o is given twice");
    CHECK(error_of({"--size=", "--size="}) == "--size is given twice");
    CHECK(error_of({"--size", "1", "--size", "1"}) == "--size is given twice");
    CHECK(error_of({"--quiet", "--quiet"}) == "--quiet is given twice");
}

TEST_CASE("words are taken where the command has them, all of them after --") {
    for (const char* const word : {"word", "-", "", "/size", "a=b"}) {
        CHECK(has(error_of({word}), "takes no word like '" + std::string(word) + "'"));
        CHECK(has(error_of({"--size", "1", word}), "takes no word like"));
        CHECK(has(error_of({"--quiet", word}), "takes no word like"));
    }
    CHECK(has(error_of({"--", "--size"}), "takes no word like '--size'"));
    CHECK(parse_options(spec, {"--"}).positionals().empty());
    CHECK(parse_options(with_words(), {"--", "--", "--size=1"}).positionals() ==
          std::vector<std::string>{"--", "--size=1"});
    CHECK(parse_options(with_words(), {"a", "--size", "1", "--", "--b", "-"}).positionals() ==
          std::vector<std::string>{"a", "--b", "-"});
}

TEST_CASE("the help of every command has examples and fits 80 columns") {
    for (const Command& command : {simulate_command(), probe_command(), validate_command(), info_command()}) {
        const std::string help = help_text(command.spec);
        INFO(help);
        CHECK(has(help, "examples:\n  systole " + command.spec.name));
        for (const OptionSpec& option : command.spec.options) {
            CHECK(has(help, "  " + option.name));
            CHECK_FALSE(option.help.empty());
        }
        std::size_t begin = 0;
        while (begin < help.size()) {
            const std::size_t end = help.find('\n', begin);
            REQUIRE(end != std::string::npos);
            CHECK(end - begin <= 80);
            begin = end + 1;
        }
    }
}

TEST_CASE("MxNxK is three numbers from 1 up") {
    CHECK(parse_shape("--gemm", "128x768x64") == Tile{128, 768, 64});
    for (const char* const text : {"", "1", "1x2", "1x2x", "x1x2", "1x2x3x", "1x2x3x4", "1 x2x3", "1x2x3 ", "axbxc",
                                   "1X2X3", "1x2.5x3", "0x1x1", "1x-1x1", "1x1x99999999999999999999"}) {
        INFO(text);
        CHECK(has(shape_error(text), "--gemm '" + std::string(text) + "'"));
    }
    CHECK(has(shape_error("1x0x1"), "N '0' is below 1"));
    CHECK(has(shape_error("1x1x99999999999999999999"), "is above 9223372036854775807"));
}

TEST_CASE("number options never wrap around") {
    CHECK(integer_option(parse_options(spec, {"--size", "12"}), "--size", 0) == 12);
    CHECK(integer_option(parse_options(spec, {}), "--size", 0) == std::nullopt);
    for (const char* const text : {"-1", "1x", "", "18446744073709551616"}) {
        CHECK_THROWS_AS(integer_option(parse_options(spec, {"--size", text}), "--size", 0), InputError);
    }
}

TEST_CASE("the help of a command names the commands that begin with its name, a line each") {
    CommandSpec whole = spec;
    whole.subcommands = {{"run show DB", "shows it"}, {"run merge OUT DB...", "puts them together"}};
    const std::string help = help_text(whole);
    CHECK(has(help, "\nand, each with a --help of its own:\n"
                    "  systole run show DB             shows it\n"
                    "  systole run merge OUT DB...     puts them together\n\noptions:\n"));
    CHECK_FALSE(has(help_text(spec), "--help of its own"));
}
