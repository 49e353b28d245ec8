// --out-dir: the result in every format beside a manifest that says when, where and how it was made.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/output_file.h"
#include "sim/config/machine.h"

namespace systole {

inline constexpr const char* manifest_name = "manifest.json";

// A file of the folder: its name and text.
struct NamedText {
    std::string name;
    std::string text;
};

// Makes the folder at once, so that one that cannot be written is known before a long run; a folder it made and that
// stays empty is removed again. Throws EnvironmentError.
class OutDir {
  public:
    explicit OutDir(std::filesystem::path path);
    ~OutDir();
    OutDir(const OutDir&) = delete;
    OutDir& operator=(const OutDir&) = delete;

    void commit(const std::vector<NamedText>& files, const std::string& manifest);

  private:
    std::filesystem::path path_;
    bool made_ = false;
    std::unique_ptr<OutputFile> manifest_; // held open from the start: proves that the folder takes files
};

// JSON with the version, the command line, time, host, the resolved chip values and their hash, and the files' names.
// It alone holds what differs from one identical run to the next.
std::string manifest_text(const Machine& machine, const std::vector<std::string>& command_line,
                          const std::vector<NamedText>& files);

} // namespace systole
