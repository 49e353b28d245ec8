#include "sim/cli/command.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/values.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr std::array<std::pair<const char*, OutputFormat>, 4> formats{{{"text", OutputFormat::text},
                                                                       {"json", OutputFormat::json},
                                                                       {"csv", OutputFormat::csv},
                                                                       {"scalesim", OutputFormat::scalesim}}};

} // namespace

void write_to_stream(const std::string& text, std::ostream& stream) {
    stream << text << std::flush;
    if (!stream) {
        throw EnvironmentError("standard output cannot be written (is the disk full?)");
    }
}

std::unique_ptr<OutputFile> open_output(const ParsedOptions& options) {
    const std::optional<std::string> path = path_option(options, "-o");
    return path && *path != "-" ? std::make_unique<OutputFile>(*path) : nullptr;
}

void write_result(const std::string& text, const ParsedOptions& options, const Session& session) {
    if (const auto file = open_output(options)) {
        file->commit(text);
    } else {
        write_to_stream(text, session.out);
    }
}

void warn(const std::string& message, const ParsedOptions& options, const Session& session) {
    if (!options.has("--quiet")) {
        session.err << "warning: " << printable(message) << "\n";
    }
}

OutputFormat output_format(const ParsedOptions& options, const std::vector<OutputFormat>& possible) {
    const std::string wanted = options.get("--format").value_or("text");
    std::string list;
    for (const auto& [name, format] : formats) {
        if (std::find(possible.begin(), possible.end(), format) == possible.end()) {
            continue;
        }
        if (wanted == name) {
            return format;
        }
        list += (list.empty() ? "" : ", ") + std::string(name);
    }
    throw InputError(fmt::format("--format '{}' is not among those of this command: {}", wanted.substr(0, 40), list));
}

} // namespace systole
