// Functions that the vector unit applies element by element, and what they cost.
//
// An operation is one instruction of a lane: an addition, multiplication, comparison, division, square root or one
// evaluation of an elementary function (exp, tanh, erf, log), which vector units have in hardware.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace systole {

struct VectorFunction {
    std::string_view name;
    int inputs;      // tensors that are combined; of different shapes they are broadcast
    int operations;  // for each element of the result
    const char* how; // the operations counted, for docs and reports
};

const std::vector<VectorFunction>& vector_functions();
const VectorFunction* find_vector_function(std::string_view name); // null if there is none
std::string vector_function_names();                               // "relu, relu6, ..."

// Of an element of the input.
inline constexpr int softmax_operations = 5;    // maximum, subtraction, exp, sum, division
inline constexpr int layer_norm_operations = 5; // sum, subtraction, square, sum of squares, times 1 / deviation
inline constexpr int rms_norm_operations = 3;   // square, sum of squares, times 1 / root mean square
// Flash attention, of each score: scale, maximum, subtraction, exp, sum (Dao et al. 2022, arXiv:2205.14135, alg. 1).
inline constexpr int online_softmax_operations = 5;
// Of each sum, when a block of keys is added to those before it: times exp(old - new maximum), addition.
inline constexpr int rescale_operations = 2;

} // namespace systole
