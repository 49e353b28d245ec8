// Running what was asked for, as `simulate` and `compare` do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/output_file.h"
#include "sim/cli/simulate_input.h"
#include "sim/report/layers.h"

namespace systole {

// How much of a network's operators the text shows (sim/report/layers.h); `detail`: whether it can show all of each.
OptionSpec layers_option(bool detail);
LayerRows layer_rows(const ParsedOptions& options, bool detail, const SimulateInput& input);

// Two results in one file would leave the later one alone: throws InputError if two of the files of --out-dir
// (`in_folder` and the manifest) and of `file_options` are the same.
void require_different_files(const ParsedOptions& options, const std::vector<std::string>& in_folder,
                             const std::vector<std::string>& file_options);

// The file of --save-mapping, if it is asked for: opened at once, written when the run is over.
class SavedMappings {
  public:
    explicit SavedMappings(const ParsedOptions& options);
    void commit(const RunResult& result);

  private:
    std::unique_ptr<OutputFile> file_;
};

// With a progress bar, on a terminal and unless --quiet.
RunResult run_shown(SimulateInput& input, const ParsedOptions& options, const Session& session);

// exit_check_failed if a product differs from its reference, which is said on the error stream; else exit_good.
int verification(const RunResult& result, const Session& session);

} // namespace systole
