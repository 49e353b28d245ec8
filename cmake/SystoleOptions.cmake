# How everything is compiled: language level, warnings, sanitizers, coverage, compiler cache.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, RelWithDebInfo or Release" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# What a user of the installed library needs of this is exported: the language, the headers' folders, and what a
# sanitizer or gcov has the linker add. Warnings and the compiler cache are a matter of this build.
add_library(systole_options INTERFACE)
target_compile_features(systole_options INTERFACE cxx_std_20)
target_include_directories(systole_options INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/systole>")
target_compile_options(systole_options INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # All three cry wolf on std::string concatenation when optimising: gcc.gnu.org/bugzilla/show_bug.cgi?id=105651
    target_compile_options(systole_options INTERFACE
        "$<BUILD_INTERFACE:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>")
endif()

# No fused multiply-add where the source has a product and a sum: what a PE rounds, and when, is a part of its result,
# and the loops that are compiled for several instruction sets must give the same bits. GCC's default in C++ is to fuse.
target_compile_options(systole_options INTERFACE "$<BUILD_INTERFACE:-ffp-contract=off>")

if(SYSTOLE_SANITIZE)
    target_compile_options(systole_options INTERFACE
        "$<BUILD_INTERFACE:-fsanitize=${SYSTOLE_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    target_link_options(systole_options INTERFACE -fsanitize=${SYSTOLE_SANITIZE})
endif()

if(SYSTOLE_COVERAGE)
    target_compile_options(systole_options INTERFACE "$<BUILD_INTERFACE:--coverage;-fprofile-update=atomic>")
    target_link_options(systole_options INTERFACE --coverage)
endif()

if(SYSTOLE_CLANG_TIDY)
    find_program(SYSTOLE_CLANG_TIDY_EXE clang-tidy)
    if(NOT SYSTOLE_CLANG_TIDY_EXE)
        message(FATAL_ERROR "SYSTOLE_CLANG_TIDY is on but clang-tidy was not found. Cure: apt-get install clang-tidy")
    endif()
    set(CMAKE_CXX_CLANG_TIDY "${SYSTOLE_CLANG_TIDY_EXE};--quiet")
endif()

# A precompiled header is safe to cache when the compiler says what it read (-fpch-preprocess) and time stamps are ignored.
find_program(SYSTOLE_CCACHE_EXE ccache)
if(SYSTOLE_CCACHE_EXE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${SYSTOLE_CCACHE_EXE}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(systole_options INTERFACE "$<BUILD_INTERFACE:-fpch-preprocess>")
    endif()
endif()
