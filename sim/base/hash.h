// FNV-1a, 64 bits: tells texts apart, protects against nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systole {

class Fnv1a {
  public:
    void add(std::string_view text) {
        for (const char c : text) {
            hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        }
    }
    std::uint64_t value() const { return hash_; }
    std::string text() const; // 16 hexadecimal digits

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325;
};

} // namespace systole
