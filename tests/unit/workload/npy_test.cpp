// .npy files written by hand, byte for byte as NumPy writes them, and what is wrong with others.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "pe/convert.h"
#include "sim/base/error.h"
#include "sim/workload/npy.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

std::string head(const std::string& dictionary, char major = 1) {
    std::string text = "\x93NUMPY";
    text += major;
    text += '\0';
    const auto length = static_cast<std::uint32_t>(dictionary.size());
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
        text += static_cast<char>(length >> 8 * i & 0xFFU);
    return text + dictionary;
}

std::string dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
           ", }\n";
}

template <typename T>
std::string bytes(std::initializer_list<T> values) {
    std::string text(values.size() * sizeof(T), '\0');
    std::memcpy(text.data(), values.begin(), text.size());
    return text;
}

std::string error_of(const std::string& content) {
    try {
        parse_npy(content, "x.npy");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

using Values = std::vector<double>;

} // namespace

TEST_CASE("each type of element is read as it is", "[npy]") {
    const auto read = [](const std::string& descr, const std::string& data) {
        const auto matrix = parse_npy(head(dictionary(descr, "(1, 2)")) + data, "x.npy");
        CHECK(matrix.rows == 1);
        CHECK(matrix.cols == 2);
        return matrix.values;
    };
    CHECK(read("<f4", bytes<float>({1.5F, -0.1F})) == Values{1.5, double{-0.1F}});
    CHECK(read("<f8", bytes<double>({1e300, -0.1})) == Values{1e300, -0.1});
    CHECK(read("<f2", bytes<std::uint16_t>({0x3C00, 0xFBFF})) == Values{1, -65504});
    CHECK(read("|i1", bytes<std::int8_t>({127, -128})) == Values{127, -128});
    CHECK(read("|u1", bytes<std::uint8_t>({255, 0})) == Values{255, 0});
    CHECK(read("<i2", bytes<std::int16_t>({-32768, 1})) == Values{-32768, 1});
    CHECK(read("<i4", bytes<std::int32_t>({-2147483648, 1})) == Values{-2147483648.0, 1});
    CHECK(read("<u4", bytes<std::uint32_t>({4294967295, 1})) == Values{4294967295.0, 1});
    CHECK(read("<i8", bytes<std::int64_t>({-(std::int64_t{1} << 53), 1})) == Values{-9007199254740992.0, 1});
}

TEST_CASE("Fortran order is turned into rows", "[npy]") {
    // ((1, 2, 3), (4, 5, 6)), column by column
    const auto data = bytes<std::int8_t>({1, 4, 2, 5, 3, 6});
    const auto matrix = parse_npy(head(dictionary("|i1", "(2, 3)", true)) + data, "x.npy");
    CHECK(matrix.rows == 2);
    CHECK(matrix.values == Values{1, 2, 3, 4, 5, 6});
}

TEST_CASE("headers of all versions and spellings of a dictionary are understood", "[npy]") {
    const auto data = bytes<std::int8_t>({7});
    for (const char version : {'\1', '\2', '\3'})
        CHECK(parse_npy(head(dictionary("|i1", "(1, 1)"), version) + data, "x.npy").values == Values{7});
    CHECK(parse_npy(head("{\"shape\":(1L,1L),\"fortran_order\":True,\"descr\":\"<i1\"}    ") + data, "x").values ==
          Values{7});
}

TEST_CASE("what is written is read again, in the type of the format", "[npy]") {
    struct Written {
        Format format;
        const char* descr;
        std::size_t size;
    };
    for (const auto& [format, descr, size] :
         {Written{Format::int4, "|i1", 1}, Written{Format::int8, "|i1", 1}, Written{Format::int32, "<i4", 4},
          Written{Format::fp8_e4m3, "<f4", 4}, Written{Format::fp8_e5m2, "<f4", 4}, Written{Format::bf16, "<f4", 4},
          Written{Format::fp16, "<f2", 2}, Written{Format::fp32, "<f4", 4}}) {
        INFO(name(format));
        const Values values{rounded(format, 1.3),     rounded(format, -5),     rounded(format, 0),
                            range_of(format).largest, range_of(format).lowest, range_of(format).smallest};
        const auto text = npy_text(format, 2, 3, values);
        CHECK(text.find(descr) != std::string::npos);
        CHECK((text.size() - 6 * size) % 64 == 0); // as numpy aligns its data
        const auto again = parse_npy(text, "x.npy");
        CHECK(again.rows == 2);
        CHECK(again.cols == 3);
        CHECK(again.values == values);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    const auto special = parse_npy(npy_text(Format::fp16, 1, 2, {infinity, std::nan("")}), "x.npy").values;
    CHECK(special[0] == infinity);
    CHECK(std::isnan(special[1]));
}

TEST_CASE("a file is what numpy.save makes of it", "[npy]") {
    // numpy.save(f, numpy.array([[1, 2]], 'int8')) of NumPy 1.24
    const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                                 "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2), }" + std::string(58, ' ') +
                                 "\n\x01\x02";
    CHECK(npy_text(Format::int8, 1, 2, {1, 2}) == expected);
}

TEST_CASE("a file that is no matrix of numbers is refused with a cure", "[npy]") {
    const auto refuses = [](const std::string& content, const std::string& because) {
        INFO(because);
        CHECK(error_of(content).find(because) != std::string::npos);
        CHECK(error_of(content).find("x.npy: ") == 0);
    };
    const auto of = [](const std::string& descr, const std::string& shape, std::size_t data) {
        return head(dictionary(descr, shape)) + std::string(data, '\0');
    };
    refuses("", "does not begin with \\x93NUMPY (write it with numpy.save)");
    refuses("1 2\n3 4\n", "does not begin with \\x93NUMPY");
    refuses("PK\x03\x04", "an .npz archive");
    refuses("\x93NUMPY", "ends within its header");
    refuses(std::string("\x93NUMPY\x01\x00\x76", 9), "ends within its header");
    refuses(std::string("\x93NUMPY\x01\x00\x76\x00{", 11), "ends within its header");
    refuses(std::string("\x93NUMPY\x04\x00\x76\x00{", 11), "format version 4.0");
    refuses(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "says that its header has 4294967295 bytes");
    refuses(of(">f4", "(1, 1)", 4), "is big-endian ('>f4') (save x.astype('<f4'))");
    refuses(of("|O", "(1, 1)", 8), "holds Python objects");
    refuses(of("<c8", "(1, 1)", 8), "holds values of type '<c8'");
    refuses(of("|b1", "(1, 1)", 1), "holds values of type '|b1'");
    refuses(of("<U3", "(1, 1)", 12), "holds values of type '<U3'");
    refuses(of("", "(1, 1)", 1), "holds values of type ''");
    refuses(head("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1, 1), }"), "structured array");
    refuses(of("<f4", "()", 4), "has 0 dimensions");
    refuses(of("<f4", "(4,)", 16), "has 1 dimensions, a matrix has 2 (save x.reshape(rows, columns))");
    refuses(of("<f4", "(1, 2, 2)", 16), "has 3 dimensions");
    refuses(of("<f4", "(0, 2)", 0), "has no elements");
    refuses(of("<f4", "(2, 2)", 15), "has 15 bytes of values, but 2x2 of '<f4' are 16 (is it complete?)");
    refuses(of("<f4", "(2, 2)", 17), "has 17 bytes of values");
    refuses(of("<f4", "(3037000500, 3037000500)", 4), "more than 536870912 elements");
    refuses(of("<f4", "(99999999999999999999, 1)", 4), "header is malformed");
    refuses(of("<f4", "(-1, 4)", 4), "header is malformed");
    refuses(of("<i8", "(1, 1)", 7) + "\x7f", "beyond 2^53");
    for (const char* const broken :
         {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (1, 1)}", "{'descr' '<f4'}", "[1]",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)", "{'descr': '<f4",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), 'more': 1}",
          "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
          "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 1)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} x",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5, 1)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': 1}"}) {
        refuses(head(broken) + std::string(4, '\0'), "header is malformed");
    }
}

TEST_CASE("every prefix of a good file is refused, none crashes", "[npy]") {
    const auto good = npy_text(Format::fp32, 3, 5, Values(15, 1.0));
    for (std::size_t size = 0; size < good.size(); ++size) {
        if (error_of(good.substr(0, size)).empty())
            FAIL_CHECK(size << " bytes were taken for a matrix");
    }
    CHECK(error_of(good).empty());
}

TEST_CASE("a file that is not there or not a file is refused", "[npy]") {
    const TempFolder folder;
    const auto at = [&](const std::string& name) { return (folder.path() / name).string(); };
    CHECK_THROWS_WITH(read_npy(at("none.npy")), Catch::EndsWith("none.npy: no such file"));
    CHECK_THROWS_WITH(read_npy(folder.path().string()), Catch::Contains("is a folder or a device"));
    std::ofstream(at("good.npy"), std::ios::binary) << npy_text(Format::int8, 1, 2, {3, -4});
    CHECK(read_npy(at("good.npy")).values == Values{3, -4});
    std::ofstream(at("empty.npy"), std::ios::binary) << "";
    CHECK_THROWS_AS(read_npy(at("empty.npy")), InputError);
}
