// Finds files under configs/ by their name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace systole {

// A folder under the config roots and how its files are spoken of.
struct ConfigFolder {
    std::string folder;  // "chips"
    std::string what;    // "chip"
    std::string listing; // "systole info chips"
};

// Names of the .toml files below the folder, with subfolders and without ending, sorted. An earlier root hides the
// same name in a later one.
std::vector<std::string> config_names(const ConfigFolder& folder);

// "did you mean 'edge_16x16'? " or "": the nearest of the names, else up to four that begin with `wanted`; names count
// with and without their folder.
std::string did_you_mean(const std::string& wanted, std::vector<std::string> names);

// `name_or_file`: a path, or a name as config_names() gives it, whose subfolder may be left out where that is unique.
// Throws InputError if there is no such file; the text says what is near.
std::filesystem::path find_config(const ConfigFolder& folder, const std::string& name_or_file);

} // namespace systole
