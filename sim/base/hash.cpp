#include "sim/base/hash.h"

namespace systole {

std::string Fnv1a::text() const {
    std::string digits(16, '0');
    std::uint64_t rest = hash_;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest >>= 4) {
        *digit = "0123456789abcdef"[rest & 15];
    }
    return digits;
}

} // namespace systole
