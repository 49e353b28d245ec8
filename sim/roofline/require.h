// Checks of arguments, with one wording.
#pragma once

#include <cmath>
#include <string>

#include "sim/base/error.h"

namespace systole::analytic {

inline void require_positive(double value, const char* what) {
    if (!(value > 0) || std::isnan(value)) {
        throw InputError(std::string(what) + " must be above 0");
    }
}

inline void require_not_negative(double value, const char* what) {
    if (!(value >= 0)) {
        throw InputError(std::string(what) + " must not be negative");
    }
}

inline void require_fraction(double value, const char* what) {
    if (!(value >= 0 && value <= 1)) {
        throw InputError(std::string(what) + " must be from 0 to 1");
    }
}

} // namespace systole::analytic
