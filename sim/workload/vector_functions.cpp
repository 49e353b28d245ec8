#include "sim/workload/vector_functions.h"

#include <algorithm>

namespace systole {

const std::vector<VectorFunction>& vector_functions() {
    static const std::vector<VectorFunction> functions{
        {"relu", 1, 1, "max"},
        {"relu6", 1, 2, "max, min"},
        {"clip", 1, 2, "max, min"},
        {"leaky_relu", 1, 2, "multiply, max"},
        {"prelu", 2, 2, "multiply, max"},
        {"elu", 1, 4, "exp, subtract, multiply, select"},
        {"selu", 1, 5, "elu, multiply"},
        {"sigmoid", 1, 4, "negate, exp, add, divide"},
        {"silu", 1, 5, "sigmoid, multiply"},
        {"hard_sigmoid", 1, 4, "multiply, add, max, min"},
        {"hard_swish", 1, 5, "hard sigmoid, multiply"},
        {"tanh", 1, 1, "tanh"},
        {"gelu", 1, 5, "multiply, erf, add, multiply, multiply"},
        {"gelu_tanh", 1, 9, "cube 2, multiply, add, multiply, tanh, add, multiply, multiply"},
        {"softplus", 1, 3, "exp, add, log"},
        {"erf", 1, 1, "erf"},
        {"exp", 1, 1, "exp"},
        {"log", 1, 1, "log"},
        {"sqrt", 1, 1, "sqrt"},
        {"reciprocal", 1, 1, "divide"},
        {"negate", 1, 1, "negate"},
        {"abs", 1, 1, "absolute value"},
        {"sign", 1, 1, "compare"},
        {"floor", 1, 1, "round"},
        {"ceil", 1, 1, "round"},
        {"round", 1, 1, "round"},
        {"sin", 1, 1, "sin"},
        {"cos", 1, 1, "cos"},
        {"not", 1, 1, "not"},
        {"and", 2, 1, "and"},
        {"or", 2, 1, "or"},
        {"compare", 2, 1, "compare"},
        {"select", 3, 1, "select"},
        {"convert", 1, 1, "convert"},
        {"scale", 1, 1, "multiply by a constant"},
        {"shift", 1, 1, "add a constant"},
        {"rope", 1, 3, "two multiplications, one addition (rotary position embedding)"},
        {"scale_shift", 3, 2, "multiply, add (a batch norm that could not be folded)"},
        {"add", 2, 1, "add"},
        {"subtract", 2, 1, "subtract"},
        {"multiply", 2, 1, "multiply"},
        {"divide", 2, 1, "divide"},
        {"power", 2, 3, "log, multiply, exp"},
        {"max", 2, 1, "max"},
        {"min", 2, 1, "min"},
    };
    return functions;
}

const VectorFunction* find_vector_function(std::string_view name) {
    const auto& all = vector_functions();
    const auto found = std::find_if(all.begin(), all.end(), [name](const auto& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::string vector_function_names() {
    std::string list;
    for (const VectorFunction& one : vector_functions()) {
        list += (list.empty() ? "" : ", ") + std::string(one.name);
    }
    return list;
}

} // namespace systole
