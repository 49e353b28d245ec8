# The libraries Systole stands on, and a probe that SystemC links with C++20 before anything is built on it.

# Says what is missing and which Debian package brings it, instead of CMake's page about search paths.
function(systole_require FOUND WHAT PACKAGE)
    if(NOT FOUND)
        message(FATAL_ERROR "${WHAT} was not found.\nCure: apt-get install ${PACKAGE}   (or run ./quickstart, which does)")
    endif()
endfunction()

find_package(PkgConfig QUIET)
systole_require("${PKG_CONFIG_FOUND}" "pkg-config" "pkg-config")

find_package(fmt QUIET)
systole_require("${fmt_FOUND}" "The {fmt} library" "libfmt-dev")
find_package(nlohmann_json QUIET)
systole_require("${nlohmann_json_FOUND}" "The nlohmann-json library" "nlohmann-json3-dev")
find_package(Boost QUIET COMPONENTS program_options)
systole_require("${Boost_PROGRAM_OPTIONS_FOUND}" "The Boost.Program_options library" "libboost-program-options-dev")
pkg_check_modules(TOMLPLUSPLUS QUIET IMPORTED_TARGET tomlplusplus)
systole_require("${TOMLPLUSPLUS_FOUND}" "The toml++ library" "libtomlplusplus-dev")
pkg_check_modules(SQLITE QUIET IMPORTED_TARGET sqlite3)
systole_require("${SQLITE_FOUND}" "The SQLite library" "libsqlite3-dev")
pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc)
systole_require("${SYSTEMC_FOUND}" "SystemC" "libsystemc-dev")

# ONNX files are protobuf messages; libonnx infers their shapes. Only the sources of sim/workload that read them need it.
find_path(SYSTOLE_ONNX_HEADERS onnx/shape_inference/implementation.h)
find_library(SYSTOLE_ONNX_LIBRARY onnx)
systole_require("${SYSTOLE_ONNX_HEADERS}" "The ONNX library (headers)" "libonnx-dev")
systole_require("${SYSTOLE_ONNX_LIBRARY}" "The ONNX library" "libonnx-dev")
find_path(SYSTOLE_PROTOBUF_HEADERS google/protobuf/message.h)
systole_require("${SYSTOLE_PROTOBUF_HEADERS}" "The Protocol Buffers library" "libprotobuf-dev")
set(SYSTOLE_ONNX_LIBRARIES onnx onnx_proto protobuf)

# SystemC checks at link time that every file agrees with the library on the language level. Debian's is built as C++17,
# and SC_CPLUSPLUS makes C++20 files say the same. Dynamic processes are what the TLM convenience sockets are made with.
add_library(systole_systemc INTERFACE)
target_link_libraries(systole_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(systole_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)

set(SYSTOLE_SYSTEMC_HEADERS
    <systemc> <tlm> <tlm_utils/simple_initiator_socket.h> <tlm_utils/simple_target_socket.h>)

if(NOT SYSTOLE_SYSTEMC_LINKS)
    message(STATUS "Checking that SystemC links with C++20")
    try_compile(SYSTOLE_SYSTEMC_LINKS
        "${PROJECT_BINARY_DIR}/systemc_probe"
        SOURCES "${PROJECT_SOURCE_DIR}/cmake/systemc_probe.cpp"
        COMPILE_DEFINITIONS -DSC_CPLUSPLUS=201703L -DSC_INCLUDE_DYNAMIC_PROCESSES
        LINK_LIBRARIES PkgConfig::SYSTEMC
        OUTPUT_VARIABLE probe_output
        CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
    if(NOT SYSTOLE_SYSTEMC_LINKS)
        pkg_get_variable(systemc_found_in systemc pcfiledir)
        message(FATAL_ERROR
            "SystemC ${SYSTEMC_VERSION} is installed, but a small C++20 program does not compile and link with it.\n"
            "Systole needs a SystemC library built as C++17, as Debian's is. An undefined symbol "
            "'sc_api_version_..._cxx20...' below means one built for another language level; an undefined 'vtable' or "
            "'std::' symbol means one built with another compiler.\n"
            "Cure: apt-get install libsystemc-dev, and take other SystemC installations out of PKG_CONFIG_PATH "
            "(pkg-config found this one in: ${systemc_found_in}).\n"
            "What the compiler said:\n${probe_output}")
    endif()
endif()
