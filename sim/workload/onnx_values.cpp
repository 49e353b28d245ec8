#include "sim/workload/onnx_values.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "sim/workload/integer.h"
#include "sim/workload/tensor.h"

namespace systole {

namespace {

namespace fs = std::filesystem;
using Stored = onnx::TensorProto;

// Of one element; 0 of a text, -1 of a type that is none. Those above 16 are newer than libonnx 1.12.
std::int64_t bits_of(int type) {
    switch (type) {
    case Stored::STRING:
        return 0;
    case 25: // UINT2
    case 26: // INT2
        return 2;
    case 21: // UINT4
    case 22: // INT4
    case 23: // FLOAT4E2M1
        return 4;
    case Stored::BOOL:
    case Stored::INT8:
    case Stored::UINT8:
    case 17: // FLOAT8E4M3FN
    case 18: // FLOAT8E4M3FNUZ
    case 19: // FLOAT8E5M2
    case 20: // FLOAT8E5M2FNUZ
    case 24: // FLOAT8E8M0
        return 8;
    case Stored::INT16:
    case Stored::UINT16:
    case Stored::FLOAT16:
    case Stored::BFLOAT16:
        return 16;
    case Stored::FLOAT:
    case Stored::INT32:
    case Stored::UINT32:
        return 32;
    case Stored::DOUBLE:
    case Stored::INT64:
    case Stored::UINT64:
    case Stored::COMPLEX64:
        return 64;
    case Stored::COMPLEX128:
        return 128;
    default:
        return -1;
    }
}

std::string type_name(int type) {
    const std::string known =
        Stored::DataType_IsValid(type) ? Stored::DataType_Name(static_cast<Stored::DataType>(type)) : std::string();
    return known.empty() ? "type " + std::to_string(type) : known;
}

// Values in the field that belongs to the type, and how many of them `count` elements take: two for a complex number,
// several elements share one if they are smaller than a byte.
struct Listed {
    std::int64_t found = 0;
    std::int64_t wanted = 0;
};

Listed listed_values(const Stored& tensor, std::int64_t count, std::int64_t bits) {
    switch (tensor.data_type()) {
    case Stored::FLOAT:
        return {tensor.float_data_size(), count};
    case Stored::COMPLEX64:
        return {tensor.float_data_size(), 2 * count};
    case Stored::DOUBLE:
        return {tensor.double_data_size(), count};
    case Stored::COMPLEX128:
        return {tensor.double_data_size(), 2 * count};
    case Stored::INT64:
        return {tensor.int64_data_size(), count};
    case Stored::UINT32:
    case Stored::UINT64:
        return {tensor.uint64_data_size(), count};
    case Stored::STRING:
        return {tensor.string_data_size(), count};
    default:
        return {tensor.int32_data_size(), bits < 8 ? ceil_div(count * bits, 8) : count};
    }
}

std::optional<std::int64_t> elements_of(const Stored& tensor) {
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.dims()) {
        if (size < 0 || (size > 0 && count > most_elements / size)) {
            return std::nullopt;
        }
        count *= size;
    }
    return count;
}

std::string shape_and_type(const Stored& tensor) {
    return fmt::format("dims {} of {}", to_text(Shape(tensor.dims().begin(), tensor.dims().end())),
                       type_name(tensor.data_type()));
}

std::string misfit(const Stored& tensor, std::int64_t found, std::int64_t wanted, const char* unit) {
    return fmt::format("the values of '{}' are {}: {} {} for {}, which take {} (copy or export the model again)",
                       tensor.name(), found < wanted ? "cut off" : "too many", found, unit, shape_and_type(tensor),
                       wanted);
}

struct ExternalData {
    std::string location;
    std::optional<std::int64_t> offset;
    std::optional<std::int64_t> length;
};

// Returns what is wrong with the entries; "" if they can be read.
std::string read_external(const Stored& tensor, ExternalData& data) {
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
        if (entry.key() == "location") {
            data.location = entry.value();
        } else if (entry.key() == "offset" || entry.key() == "length") {
            const Parsed<std::int64_t> parsed = parse_integer(entry.value(), 0);
            if (!parsed.value) {
                return fmt::format("the {} of the values of '{}': {} (it is a number of bytes; export the model again)",
                                   entry.key(), tensor.name(), parsed.error);
            }
            (entry.key() == "offset" ? data.offset : data.length) = parsed.value;
        }
    }
    return "";
}

std::string problem_of_external_data(const Stored& tensor, const std::string& model_file, std::int64_t bytes) {
    ExternalData data;
    if (std::string problem = read_external(tensor, data); !problem.empty()) {
        return problem;
    }
    const fs::path file = fs::path(model_file).parent_path() / data.location;
    std::error_code error;
    if (data.location.empty() || !fs::is_regular_file(file, error)) {
        return fmt::format(
            "the values of weight '{}' are in the file '{}', which is missing (it belongs beside the model)",
            tensor.name(), data.location);
    }
    if (data.length && *data.length != bytes && tensor.data_type() != Stored::STRING) {
        return misfit(tensor, *data.length, bytes, "bytes");
    }
    const auto size = static_cast<std::int64_t>(fs::file_size(file, error));
    const std::int64_t offset = data.offset.value_or(0);
    if (offset > size || size - offset < bytes) {
        return fmt::format("the values of weight '{}' end at byte {} of '{}', which has {} (is it cut off?)",
                           tensor.name(), offset > unlimited - bytes ? unlimited : offset + bytes, data.location, size);
    }
    return "";
}

} // namespace

std::string problem_of_values(const Stored& tensor, const std::string& model_file) {
    const std::optional<std::int64_t> count = elements_of(tensor);
    if (!count) {
        return fmt::format("weight '{}' has the shape {}, which is none (export the model again)", tensor.name(),
                           to_text(Shape(tensor.dims().begin(), tensor.dims().end())));
    }
    const std::int64_t bits = bits_of(tensor.data_type());
    if (bits < 0) {
        return fmt::format("weight '{}' is of {}, which is none (export the model again)", tensor.name(),
                           type_name(tensor.data_type()));
    }
    const std::int64_t bytes = ceil_div(*count * bits, 8);
    if (tensor.data_location() == Stored::EXTERNAL) {
        return problem_of_external_data(tensor, model_file, bytes);
    }
    if (tensor.has_raw_data()) {
        const auto found = static_cast<std::int64_t>(tensor.raw_data().size());
        return found == bytes ? "" : misfit(tensor, found, bytes, "bytes");
    }
    const Listed listed = listed_values(tensor, *count, bits);
    return listed.found == listed.wanted ? "" : misfit(tensor, listed.found, listed.wanted, "values");
}

} // namespace systole
