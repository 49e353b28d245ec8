# cmake -DOUTPUT=x.cpp -DFILES=a;b -DCHART_JS=chart.min.js -P embed_files.cmake
# Writes the bytes of the files as arrays, and html_asset(), which finds them by name.

set(arrays "")
set(cases "")
set(number 0)
function(systole_embed NAME FILE)
    file(READ "${FILE}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    math(EXPR next "${number} + 1")
    set(number ${next} PARENT_SCOPE)
    set(arrays "${arrays}constexpr unsigned char file${number}[] = {${bytes}};\n" PARENT_SCOPE)
    set(cases "${cases}    if (name == \"${NAME}\") {\n        return view(file${number}, sizeof file${number});\n    }\n" PARENT_SCOPE)
endfunction()

foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    systole_embed("${name}" "${file}")
endforeach()
systole_embed("chart.js" "${CHART_JS}")

file(WRITE "${OUTPUT}" "// Written by cmake/embed_files.cmake.
#include \"sim/report/html_assets.h\"

#include <cstddef>
#include <string>

#include \"sim/base/error.h\"

namespace systole {

namespace {

${arrays}
std::string_view view(const unsigned char* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

} // namespace

std::string_view html_asset(std::string_view name) {
${cases}    throw InternalError(\"no part of the HTML report is called '\" + std::string(name) + \"'\");
}

} // namespace systole
")
