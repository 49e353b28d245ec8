#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/cli/out_dir.h"
#include "sim/cli/output_file.h"

using namespace systole;
namespace fs = std::filesystem;

namespace {

// An empty folder, removed at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("systole_output_test_" + std::to_string(::getpid()));
    Folder() {
        fs::remove_all(path);
        fs::create_directory(path);
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string read(const fs::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

TEST_CASE("a committed file is there whole, with nothing beside it") {
    const Folder folder;
    OutputFile file(folder.path / "r.txt");
    CHECK_FALSE(fs::exists(folder.path / "r.txt"));
    file.commit("text");
    CHECK(read(folder.path / "r.txt") == "text");
    CHECK(folder.entries() == 1);
}

TEST_CASE("without commit nothing is left and an older file stays") {
    const Folder folder;
    OutputFile(folder.path / "r.txt").commit("old");
    { OutputFile abandoned(folder.path / "r.txt"); }
    CHECK(read(folder.path / "r.txt") == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a replaced file keeps its permissions, a symbolic link stays one") {
    const Folder folder;
    OutputFile(folder.path / "r.txt").commit("old");
    fs::permissions(folder.path / "r.txt", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("r.txt", folder.path / "link");
    OutputFile(folder.path / "link").commit("new");
    CHECK(fs::is_symlink(folder.path / "link"));
    CHECK(read(folder.path / "r.txt") == "new");
    CHECK(fs::status(folder.path / "r.txt").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("places that cannot be written are known at once") {
    const Folder folder;
    CHECK_THROWS_AS(OutputFile(folder.path / "absent" / "r.txt"), EnvironmentError);
    CHECK_THROWS_AS(OutputFile(folder.path), EnvironmentError);
    CHECK_THROWS_AS(OutputFile(""), EnvironmentError);
    CHECK(folder.entries() == 0);
}

TEST_CASE("what is no regular file is written to, not replaced") {
    OutputFile("/dev/null").commit("text");
    CHECK(fs::is_character_file("/dev/null"));
    if (fs::exists("/dev/full")) {
        CHECK_THROWS_AS(OutputFile("/dev/full").commit("text"), EnvironmentError);
        CHECK(fs::is_character_file("/dev/full"));
    }
}

TEST_CASE("a folder of results that is not committed is not left behind") {
    const Folder folder;
    { OutDir abandoned(folder.path / "run"); }
    CHECK(folder.entries() == 0);
    OutDir(folder.path / "run").commit({{"a.txt", "A"}, {"b.txt", "B"}}, "{}");
    CHECK(read(folder.path / "run" / "b.txt") == "B");
    CHECK(read(folder.path / "run" / "manifest.json") == "{}");
    CHECK_THROWS_AS(OutDir(folder.path / "run" / "a.txt"), EnvironmentError);
}
