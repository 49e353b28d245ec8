// Files as they were when they were first read, for runs of many points that have to be of the same files.
#pragma once

#include <functional>
#include <string>

namespace systole {

// While one lives (one at a time, in this process and those that it forks), remembered() remembers.
class FileMemory {
  public:
    FileMemory();
    ~FileMemory();
    FileMemory(const FileMemory&) = delete;
    FileMemory& operator=(const FileMemory&) = delete;
};

// What `read` gave when it was first asked for `key`; without a FileMemory, what it gives now. Exceptions are passed on
// and not remembered.
std::string remembered(const std::string& key, const std::function<std::string()>& read);

} // namespace systole
