#include "sim/base/file_memory.h"

#include <map>
#include <optional>

namespace systole {

namespace {

// Files are read deep inside readers that know nothing of sweeps, so that it is a matter of the process.
std::optional<std::map<std::string, std::string>>& memory() {
    static std::optional<std::map<std::string, std::string>> texts;
    return texts;
}

} // namespace

FileMemory::FileMemory() { memory().emplace(); }

FileMemory::~FileMemory() { memory().reset(); }

std::string remembered(const std::string& key, const std::function<std::string()>& read) {
    if (!memory()) {
        return read();
    }
    const auto found = memory()->find(key);
    return found != memory()->end() ? found->second : memory()->emplace(key, read()).first->second;
}

} // namespace systole
