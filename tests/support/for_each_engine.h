// Runs one check per engine and says which one failed.
#pragma once

#include <catch2/catch.hpp>

#include "tests/support/engines.h"

namespace systole::test {

template <typename Check>
void for_each_engine(Check&& check) {
    for (const EngineKind engine : engines) {
        INFO("engine " << name(engine));
        check(engine);
    }
}

} // namespace systole::test
