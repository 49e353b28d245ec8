#include "sim/cli/out_dir.h"

#include <array>
#include <ctime>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/config/load.h"
#include "sim/report/json.h"

namespace systole {

namespace fs = std::filesystem;

namespace {

std::string hash_of(const std::vector<std::pair<std::string, std::string>>& values) {
    Fnv1a hash;
    for (const auto& [key, value] : values) {
        hash.add(key + "=" + value + "\n");
    }
    return "fnv1a64:" + hash.text();
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

} // namespace

OutDir::OutDir(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    made_ = fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_, error)) {
        throw EnvironmentError(fmt::format("--out-dir {}: cannot be made: {}", path_.string(),
                                           error ? error.message() : "there is a file of this name"));
    }
    manifest_ = std::make_unique<OutputFile>(path_ / manifest_name);
}

OutDir::~OutDir() {
    manifest_.reset();
    if (made_) {
        std::error_code not_empty;
        fs::remove(path_, not_empty);
    }
}

void OutDir::commit(const std::vector<NamedText>& files, const std::string& manifest) {
    for (const NamedText& file : files) {
        OutputFile(path_ / file.name).commit(file.text);
    }
    manifest_->commit(manifest); // last: where it stands, the folder is complete
}

std::string manifest_text(const Machine& machine, const std::vector<std::string>& command_line,
                          const std::vector<NamedText>& files) {
    const auto values = chip_values(machine);
    Json manifest;
    manifest["schema_version"] = 1;
    manifest["version"] = SYSTOLE_VERSION;
    manifest["command_line"] = command_line;
    manifest["time"] = utc_now();
    manifest["host"] = host_name();
    manifest["chip"] = machine.name;
    manifest["chip_file"] = machine.file;
    manifest["config_hash"] = hash_of(values);
    manifest["chip_values"] = Json::object();
    for (const auto& [key, value] : values) {
        manifest["chip_values"][key] = value;
    }
    manifest["files"] = Json::array();
    for (const NamedText& file : files) {
        manifest["files"].push_back(file.name);
    }
    return json_text(manifest);
}

} // namespace systole
