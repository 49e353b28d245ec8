// What `kind` of an operator in a workload file may be, and the keys each takes.
#pragma once

#include <string>
#include <vector>

#include "sim/base/table.h"
#include "sim/workload/toml_table.h"

namespace systole {

struct OperatorKind {
    std::string name;              // of `kind`
    std::vector<std::string> keys; // besides those of every operator
    Attributes (*read)(const TomlTable& table);
    std::string help;
};

// Without the vector functions, each of which is a kind as well ("relu", "add": vector_functions.h).
const std::vector<OperatorKind>& operator_kinds();
const OperatorKind* find_operator_kind(const std::string& name); // null if there is none
std::vector<std::string> all_operator_kinds();                   // vector functions too, for messages

} // namespace systole
