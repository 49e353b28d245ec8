// A result file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace systole {

// Opens a temporary file beside `path` at once, so that a place that cannot be written is known before a long run;
// commit() writes and renames it. Without commit() nothing is left. A path that is no regular file (/dev/stdout) is
// written to directly. Throws EnvironmentError.
class OutputFile {
  public:
    explicit OutputFile(const std::filesystem::path& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void commit(const std::string& text);

  private:
    void open_temporary();

    std::filesystem::path path_;
    std::filesystem::path temporary_; // empty: written to directly, or done
    int descriptor_ = -1;
};

// A temporary file of somebody else's: removed by a signal handler as long as this lives.
class ForeignTemporary {
  public:
    explicit ForeignTemporary(std::filesystem::path path);
    ~ForeignTemporary();
    ForeignTemporary(const ForeignTemporary&) = delete;
    ForeignTemporary& operator=(const ForeignTemporary&) = delete;

  private:
    std::filesystem::path path_;
};

// For a signal handler: removes the temporary files that are open. Calls nothing but unlink().
void remove_temporaries_in_signal_handler() noexcept;

} // namespace systole
