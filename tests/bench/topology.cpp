#include "tests/bench/topology.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace systole::bench {

namespace {

std::vector<std::int64_t> numbers(std::istringstream& fields) {
    std::vector<std::int64_t> values;
    for (std::string field; std::getline(fields, field, ',');) {
        if (field.find_first_of("0123456789") != std::string::npos) {
            values.push_back(std::stoll(field));
        }
    }
    return values;
}

// Output pixels along one side; no padding.
std::int64_t output_side(std::int64_t input, std::int64_t filter, std::int64_t stride) {
    return ceil_div(input - filter + stride, stride);
}

GemmProblem convolution(const std::vector<std::int64_t>& v) {
    GemmProblem problem;
    problem.m = output_side(v[0], v[2], v[6]) * output_side(v[1], v[3], v[6]);
    problem.n = v[5];
    problem.k = v[2] * v[3] * v[4];
    return problem;
}

} // namespace

std::vector<GemmProblem> read_topology(const std::filesystem::path& file, Format format) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    const bool gemms = line.find(" M") != std::string::npos || line.find(",M") != std::string::npos;
    std::vector<GemmProblem> network;
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        std::string name;
        std::getline(fields, name, ',');
        const std::vector<std::int64_t> values = numbers(fields);
        GemmProblem problem;
        if (gemms && values.size() >= 3) {
            problem.m = values[0];
            problem.n = values[1];
            problem.k = values[2];
        } else if (!gemms && values.size() >= 7) {
            problem = convolution(values);
        } else {
            continue;
        }
        problem.name = name;
        problem.formats = {format, format, format};
        network.push_back(problem);
    }
    if (network.empty()) {
        throw std::runtime_error(file.string() + ": no layer found");
    }
    return network;
}

} // namespace systole::bench
