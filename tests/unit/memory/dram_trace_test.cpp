#include <vector>

#include <catch2/catch.hpp>

#include "memory/dram_trace.h"
#include "sim/base/error.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;

namespace {

std::vector<DramRequest> requests_of_trace(const std::string& text, Bytes bytes = 32) {
    const test::TempFolder folder;
    const auto requests = open_dram_trace(folder.write("trace.txt", text), bytes);
    std::vector<DramRequest> all;
    for (DramRequest request; requests->next(request);) {
        all.push_back(request);
    }
    return all;
}

// The message, "F" standing for the name of the file.
std::string refusal_of_trace(const std::string& text) {
    const test::TempFolder folder;
    const std::string file = folder.write("trace.txt", text);
    try {
        const auto requests = open_dram_trace(file, 32);
        for (DramRequest request; requests->next(request);) {
        }
    } catch (const InputError& error) {
        std::string message = error.what();
        const std::size_t at = message.find(file);
        return at == std::string::npos ? message : message.replace(at, file.size(), "F");
    }
    return "no error";
}

} // namespace

TEST_CASE("the three kinds of trace lines are understood, mixed as one likes", "[memory][dram]") {
    const auto all = requests_of_trace("# a trace\n"
                                       "0x1000 R\n"
                                       "4129 w 12   # of address and cycle\n"
                                       "\n"
                                       "0x00002000 READ 30\n"
                                       "0x2040\tWRITE\t31\r\n"
                                       "LD 0x3000\n"
                                       "ST 12320\n"
                                       "R 0x40");
    REQUIRE(all.size() == 7);
    CHECK(all[0].address == 0x1000);
    CHECK(all[0].bytes == 32);
    CHECK_FALSE(all[0].write);
    CHECK(all[0].not_before == 0);
    CHECK(all[1].address == 4128); // the access that holds it
    CHECK(all[1].write);
    CHECK(all[1].not_before == 12);
    CHECK(all[2].not_before == 30);
    CHECK(all[3].address == 0x2040);
    CHECK(all[3].write);
    CHECK(all[4].address == 0x3000);
    CHECK_FALSE(all[4].write);
    CHECK(all[5].address == 12320);
    CHECK(all[5].write);
    CHECK(all[6].address == 0x40);
    CHECK(requests_of_trace("0x1050 R\n", 64)[0].address == 0x1040);
}

TEST_CASE("a line that is no request is refused at its place", "[memory][dram]") {
    const std::string forms = " (write ADDRESS R|W [CYCLE], ADDRESS READ|WRITE CYCLE or LD|ST ADDRESS)";
    CHECK(refusal_of_trace("0x10 R\n0x20\n") == "F:2:1: one word is no request" + forms);
    CHECK(refusal_of_trace("0x10 R 1 2\n") == "F:1:1: 4 words are no request" + forms);
    CHECK(refusal_of_trace("0x10  X\n") == "F:1:7: 'X' is neither a read nor a write" + forms);
    CHECK(refusal_of_trace("1f0 R\n") ==
          "F:1:1: '1f0' is no address (write a whole number below 1152921504606846976, with 0x if "
          "it is hexadecimal)");
    CHECK(refusal_of_trace("R -4\n").starts_with("F:1:3: '-4' is no address"));
    CHECK(refusal_of_trace("0x R\n").starts_with("F:1:1: '0x' is no address"));
    CHECK(refusal_of_trace("0x99999999999999999 R\n").starts_with("F:1:1: '0x99999999999999999' is no address"));
    CHECK(refusal_of_trace("0 R 1.5\n").starts_with("F:1:5: '1.5' is no cycle"));
    CHECK(refusal_of_trace("0 R 7\n4 R\n8 R 6\n") ==
          "F:3:5: cycle 6 lies before that of an earlier request, 7 (requests are played "
          "in the order of the file: sort it by cycle)");
    CHECK(refusal_of_trace("") == "F: holds no request (write lines such as 0x1000 R 12)");
    CHECK(refusal_of_trace("# nothing\n\n") == "F: holds no request (write lines such as 0x1000 R 12)");
    CHECK(refusal_of_trace(std::string(5000, 'x')) ==
          "F:1:1: is no line of a trace (is this a text file of lines such as 0x1000 R 12?)");
    CHECK(refusal_of_trace(std::string("0 R\n\0\n", 6)).starts_with("F:2:1: is no line of a trace"));
    CHECK_THROWS_AS(open_dram_trace("/no/such/file", 32), InputError);
    CHECK_THROWS_AS(open_dram_trace("/tmp", 32), InputError);
}
