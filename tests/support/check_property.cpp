#include "tests/support/check_property.h"

#include <cstdlib>

namespace systole::test {

std::uint64_t property_seed() {
    const char* text = std::getenv("SYSTOLE_TEST_SEED");
    return text == nullptr ? 20'240'229 : std::stoull(text);
}

} // namespace systole::test
