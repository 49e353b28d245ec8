// One result as CSV: a header line and a row.
#pragma once

#include <string>

#include "sim/report/json.h"

namespace systole {

// The members of the object in their order; those of inner objects are named outer_inner. null is an empty field.
std::string flat_csv(const Json& object);

} // namespace systole
