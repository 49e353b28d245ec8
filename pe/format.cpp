#include "pe/format.h"

namespace systole {

namespace {

struct Traits {
    std::string_view name;
    int bits;
};

Traits traits(Format format) {
    switch (format) {
    case Format::int4:
        return {"int4", 4};
    case Format::int8:
        return {"int8", 8};
    case Format::int32:
        return {"int32", 32};
    case Format::fp8_e4m3:
        return {"fp8_e4m3", 8};
    case Format::fp8_e5m2:
        return {"fp8_e5m2", 8};
    case Format::bf16:
        return {"bf16", 16};
    case Format::fp16:
        return {"fp16", 16};
    case Format::fp32:
        break;
    }
    return {"fp32", 32};
}

} // namespace

std::string_view name(Format format) { return traits(format).name; }

std::optional<Format> parse_format(std::string_view text) {
    for (const Format format : all_formats) {
        if (name(format) == text) {
            return format;
        }
    }
    return std::nullopt;
}

int bits(Format format) { return traits(format).bits; }

bool is_integer(Format format) { return format == Format::int4 || format == Format::int8 || format == Format::int32; }

bool is_operand(Format format) { return format != Format::int32; }

std::string_view name(Accumulation accumulation) { return accumulation == Accumulation::int32 ? "int32" : "fp32"; }

Accumulation OperandFormats::accumulation() const {
    return is_integer(a) && is_integer(b) ? Accumulation::int32 : Accumulation::fp32;
}

Bytes stored_bytes(std::int64_t elements, Format format) {
    // Eight elements fill `bits` bytes; taken apart so that elements * bits cannot leave 64 bits first.
    const int width = bits(format);
    if (width % 8 == 0)
        return elements * (width / 8);
    return elements / 8 * width + ceil_div(elements % 8 * width, 8);
}

} // namespace systole
