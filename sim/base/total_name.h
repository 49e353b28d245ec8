// The name of the whole run in every table of results; no operator may have it (sim/workload/reserved_name.h).
#pragma once

namespace systole {

inline constexpr const char* total_name = "total";

} // namespace systole
