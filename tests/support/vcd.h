// Reads a value change dump back, strictly: what a viewer would shrug at is an error here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole::test {

struct VcdVariable {
    int width = 0;
    std::map<std::int64_t, std::int64_t> changes; // time stamp -> value, sign-extended from the width

    // The value at this time stamp: that of the last change. Empty before the first one.
    std::optional<std::int64_t> at(std::int64_t time) const;
};

struct Vcd {
    std::string timescale;                        // "1 ps"
    std::map<std::string, VcdVariable> variables; // by full name: "systole.core0.array0.pe_r0_c0.psum"
    std::vector<std::int64_t> times;              // in the order of the file

    const VcdVariable& variable(const std::string& name) const; // throws if there is none
};

// Throws std::runtime_error, with the line, for: unbalanced scopes, a name or identifier declared twice, a value of an
// unknown identifier or of another width, a value before the first time stamp, time that does not advance.
Vcd read_vcd(const std::string& text);

} // namespace systole::test
