#include "sim/config/config_files.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <system_error>

#include "sim/base/error.h"
#include "sim/base/file_memory.h"
#include "sim/base/table.h"
#include "sim/config/load.h"

namespace systole {

namespace {

namespace fs = std::filesystem;

constexpr const char* ending = ".toml";

using NamedFiles = std::map<std::string, fs::path>;

void collect(const fs::path& top, NamedFiles& files) {
    std::error_code error; // a folder that cannot be read has no files for us
    fs::recursive_directory_iterator entry(top, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        const fs::path& path = entry->path();
        if (path.extension() == ending && !fs::is_directory(path, ignored)) {
            files.emplace(path.lexically_relative(top).replace_extension().generic_string(), path);
        }
    }
}

NamedFiles named_files(const ConfigFolder& folder) {
    NamedFiles files;
    for (const fs::path& root : config_roots()) {
        collect(root / folder.folder, files);
    }
    return files;
}

std::string base_name(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::vector<std::string> names_of(const NamedFiles& files) {
    std::vector<std::string> names;
    for (const auto& [name, path] : files) {
        names.push_back(name);
    }
    return names;
}

std::string without_ending(const std::string& name) {
    return name.ends_with(ending) ? name.substr(0, name.size() - std::string(ending).size()) : name;
}

[[noreturn]] void report_unknown(const ConfigFolder& folder, const NamedFiles& files, const std::string& wanted) {
    constexpr std::size_t longest = 100;
    const std::string shown = wanted.size() > longest ? wanted.substr(0, longest) + "..." : wanted;
    const std::string near = did_you_mean(without_ending(base_name(wanted)), names_of(files));
    if (wanted.ends_with(ending)) {
        throw InputError(Place{shown}, "no such file (" + near + "`" + folder.listing + "` lists the " + folder.what +
                                           "s that come with Systole)");
    }
    throw InputError("unknown " + folder.what + " '" + shown + "' (" + near + "`" + folder.listing +
                     "` lists all; a file ends in .toml)");
}

// Where an installation or a build tree may have its files, nearest first: by the program, so that a tree can be moved
// as a whole; where this library was meant to be installed and where packages are, for programs that use the library.
std::vector<fs::path> data_folders() {
    std::vector<fs::path> folders;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        folders.push_back(program.parent_path() / SYSTOLE_DATA_DIR);
        folders.push_back(program.parent_path().parent_path() / SYSTOLE_DATA_DIR);
    }
    folders.insert(folders.end(), {SYSTOLE_FULL_DATA_DIR, "/usr/local/share", "/usr/share"});
    return folders;
}

// Files of that name in any subfolder.
std::vector<std::string> matching(const NamedFiles& files, const std::string& wanted) {
    std::vector<std::string> names;
    for (const auto& [name, path] : files) {
        if (base_name(name) == wanted) {
            names.push_back(name);
        }
    }
    return names;
}

fs::path find_now(const ConfigFolder& folder, const std::string& name_or_file) {
    std::error_code error;
    const bool exists = fs::exists(name_or_file, error) || error; // an error other than absence: let the reader say it
    if (name_or_file.ends_with(ending) && exists) {
        return name_or_file;
    }
    const NamedFiles files = named_files(folder);
    if (const auto exact = files.find(name_or_file); exact != files.end()) {
        return exact->second;
    }
    const std::vector<std::string> names = matching(files, name_or_file);
    if (names.size() == 1) {
        return files.at(names.front());
    }
    if (names.size() > 1) {
        std::string list;
        for (const std::string& name : names) {
            list += (list.empty() ? "" : ", ") + name;
        }
        throw InputError("'" + name_or_file + "' is the name of several " + folder.what + "s (write one of " + list +
                         ")");
    }
    if (exists) {
        return name_or_file;
    }
    report_unknown(folder, files, name_or_file);
}

} // namespace

std::string did_you_mean(const std::string& wanted, std::vector<std::string> names) {
    const std::size_t count = names.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (const std::string base = base_name(names[i]); base != names[i]) {
            names.push_back(base);
        }
    }
    constexpr std::size_t most = 4;
    std::vector<std::string> near{nearest(wanted, names)};
    if (near.front().empty()) {
        near = beginning_with(wanted, names);
        near.resize(std::min(near.size(), most));
    }
    return near.empty() ? "" : "did you mean " + alternatives(near) + "? ";
}

std::vector<std::filesystem::path> config_roots() {
    std::vector<fs::path> roots;
    std::error_code error;
    if (const char* chosen = std::getenv("SYSTOLE_CONFIG_DIR"); chosen != nullptr && fs::is_directory(chosen, error))
        roots.emplace_back(chosen);
    for (const fs::path& data : data_folders()) {
        const fs::path root = data / "systole" / "configs";
        if (!fs::is_directory(root, error))
            continue;
        const fs::path real = fs::canonical(root, error); // a build tree has a link to the source tree's
        roots.push_back(error ? root : real);
        break;
    }
    return roots;
}

std::vector<std::string> config_names(const ConfigFolder& folder) { return names_of(named_files(folder)); }

std::filesystem::path find_config(const ConfigFolder& folder, const std::string& name_or_file) {
    if (name_or_file.empty()) {
        throw InputError("no " + folder.what + " is named (`" + folder.listing + "` lists all)");
    }
    return remembered("place of " + folder.folder + " " + name_or_file,
                      [&] { return find_now(folder, name_or_file).string(); });
}

} // namespace systole
