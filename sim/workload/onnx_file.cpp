#include "sim/workload/onnx_file.h"

#include <filesystem>
#include <fstream>
#include <google/protobuf/stubs/logging.h>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/workload/integer.h"

namespace systole {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = (std::uintmax_t{1} << 31) - 1; // of one protobuf message

// The value of a key of `external_data`, as a number of bytes; 0 if it is not there or none.
std::uintmax_t size_of(const onnx::TensorProto& tensor, const char* key) {
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
        if (entry.key() == key) {
            return static_cast<std::uintmax_t>(parse_integer(entry.value(), 0).value.value_or(0));
        }
    }
    return 0;
}

} // namespace

void parse_onnx_file(const std::string& file, onnx::ModelProto& model) {
    std::error_code error;
    if (!fs::exists(file, error)) {
        throw InputError({file}, "there is no such file (--onnx takes the path of an .onnx file)");
    }
    if (!fs::is_regular_file(file, error)) {
        throw InputError({file}, "is no regular file (--onnx takes the path of an .onnx file)");
    }
    if (fs::file_size(file, error) > largest_file) {
        throw InputError({file},
                         "is larger than 2 GiB, which an ONNX file cannot be (export it with external weights)");
    }
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw InputError({file}, "cannot be read (check its permissions)");
    }
    // protobuf would write its own words about a broken file to stderr.
    google::protobuf::LogHandler* const before = google::protobuf::SetLogHandler(nullptr);
    const bool good = model.ParseFromIstream(&in);
    google::protobuf::SetLogHandler(before);
    if (!good || !model.has_graph()) {
        throw InputError({file}, "is no ONNX model, or is cut off (export or copy it again)");
    }
}

std::string problem_of_external_data(const onnx::TensorProto& tensor, const std::string& model_file) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
        return "";
    }
    std::string location;
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
        location = entry.key() == "location" ? entry.value() : location;
    }
    const fs::path file = fs::path(model_file).parent_path() / location;
    std::error_code error;
    if (location.empty() || !fs::is_regular_file(file, error)) {
        return fmt::format(
            "the values of weight '{}' are in the file '{}', which is missing (it belongs beside the model)",
            tensor.name(), location);
    }
    const std::uintmax_t wanted = size_of(tensor, "offset") + size_of(tensor, "length");
    if (fs::file_size(file, error) < wanted) {
        return fmt::format("the values of weight '{}' end at byte {} of '{}', which has {} (is it cut off?)",
                           tensor.name(), wanted, location, fs::file_size(file, error));
    }
    return "";
}

} // namespace systole
