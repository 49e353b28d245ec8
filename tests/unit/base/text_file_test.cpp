#include <unistd.h>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/base/file_memory.h"
#include "sim/base/text_file.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;

namespace {

std::string error_of(const std::string& path) {
    try {
        read_text_file(path, "a chip file");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("a text file is read whole and without its byte order mark", "[base][text_file]") {
    const test::TempFolder folder;
    CHECK(read_text_file(folder.write("plain", "a\nb\n"), "a chip file") == "a\nb\n");
    CHECK(read_text_file(folder.write("marked", "\xEF\xBB\xBF"
                                                "a\n"),
                         "a chip file") == "a\n");
    CHECK(read_text_file(folder.write("empty", ""), "a chip file").empty());
    CHECK(read_text_file(folder.write("large", std::string(1 << 20, 'x')), "a chip file").size() == 1 << 20);
}

TEST_CASE("what is no text file is refused with the reason", "[base][text_file]") {
    const test::TempFolder folder;
    const std::string top = folder.path().string();
    CHECK(error_of(top + "/missing") == top + "/missing: no such file");
    CHECK(error_of(top) == top + ": is a folder (name a chip file in it)");
    const std::string binary = folder.write("binary", std::string_view("ab\ncd\0e", 7));
    CHECK(error_of(binary) == binary + ":2:3: is not text: it has a NUL byte (is this a chip file?)");
    const std::string nul_first = folder.write("nul_first", std::string_view("\0", 1));
    CHECK(error_of(nul_first) == nul_first + ":1:1: is not text: it has a NUL byte (is this a chip file?)");
    const std::string huge = folder.write("huge", std::string((1 << 20) + 1, 'x'));
    CHECK(error_of(huge) == huge + ": is larger than 1 MiB, too large for a chip file");
    CHECK(error_of("/dev/zero") == "/dev/zero: is larger than 1 MiB, too large for a chip file");
    const std::string below = folder.write("file", "x") + "/below";
    CHECK(error_of(below) == below + ": no such file");
}

TEST_CASE("a file without read permission is refused", "[base][text_file]") {
    const test::TempFolder folder;
    const std::string locked = folder.write("locked", "x");
    std::filesystem::permissions(locked, std::filesystem::perms::none);
    if (geteuid() == 0) { // root reads everything: then it must be read, not refused
        CHECK(read_text_file(locked, "a chip file") == "x");
    } else {
        CHECK(error_of(locked) == locked + ": cannot be read: Permission denied");
    }
}

TEST_CASE("while files are remembered, a text file is what it was when it was first read", "[base][text_file]") {
    const test::TempFolder folder;
    const std::string file = folder.write("chip", "first");
    CHECK(read_text_file(file, "a chip file") == "first");
    {
        const FileMemory memory;
        folder.write("chip", "second");
        CHECK(read_text_file(file, "a chip file") == "second");
        folder.write("chip", "third");
        CHECK(read_text_file(file, "a chip file") == "second");
        std::filesystem::remove(file);
        CHECK(read_text_file(file, "a chip file") == "second");
        CHECK(error_of(folder.path() / "later") != "");
        CHECK(read_text_file(folder.write("later", "now"), "a chip file") == "now"); // that it was missing is forgotten
    }
    CHECK(error_of(file) != "");
    CHECK(read_text_file(folder.write("chip", "fourth"), "a chip file") == "fourth");
}
