// The engines that exist: every test that holds for all of them runs once per entry.
#pragma once

#include <algorithm>
#include <array>

#include "sim/engine/run.h"

namespace systole::test {

inline constexpr std::array engines{EngineKind::structural, EngineKind::flat, EngineKind::tile};

constexpr bool has_engine(EngineKind kind) { return std::find(engines.begin(), engines.end(), kind) != engines.end(); }

// The tile engine knows no operand values, so it has no product to check.
constexpr bool computes_values(EngineKind kind) { return kind != EngineKind::tile; }

} // namespace systole::test
