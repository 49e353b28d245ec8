// The commands of `systole roofline` that begin with a word.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/command.h"

namespace systole {

std::vector<Command> roofline_operator_commands(); // attention, ffn, ...: work on a chip
std::vector<Command> roofline_number_commands();   // critical-batch, split, request, ...: numbers

[[noreturn]] void reject_operator(const std::string& word);

} // namespace systole
