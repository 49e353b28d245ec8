#include "sim/workload/onnx_file.h"

#include <filesystem>
#include <fstream>
#include <google/protobuf/stubs/logging.h>

#include "sim/base/error.h"

namespace systole {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = (std::uintmax_t{1} << 31) - 1; // of one protobuf message

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

} // namespace systole
