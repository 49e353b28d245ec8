# cmake --install: the program, its files, and the library with a CMake package (find_package(systole)). The tree can be
# moved afterwards. Components: `runtime` is the program, `development` the library; without a choice both.

include(CMakePackageConfigHelpers)

set(SYSTOLE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/systole")
set(SYSTOLE_DOC_DIR "${CMAKE_INSTALL_DATADIR}/doc/systole")

if(TARGET systole)
    install(TARGETS systole RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime)
endif()
install(DIRECTORY configs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/systole/configs" COMPONENT runtime)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${SYSTOLE_DOC_DIR}" COMPONENT runtime)
install(DIRECTORY docs DESTINATION "${SYSTOLE_DOC_DIR}" COMPONENT runtime)

# All layers but the command line, which is nobody's library. systole::systole is all that a program needs to simulate
# and to print results; the layers have names of their own (systole::roofline needs no SystemC).
set(exported ${SYSTOLE_LAYERS})
list(REMOVE_ITEM exported systole_cli)
add_library(systole_library INTERFACE)
target_link_libraries(systole_library INTERFACE systole_engine systole_report)
set_target_properties(systole_library PROPERTIES EXPORT_NAME systole)
set_target_properties(systole_options PROPERTIES EXPORT_NAME options)
set_target_properties(systole_systemc PROPERTIES EXPORT_NAME systemc)
install(TARGETS systole_library systole_options systole_systemc ${exported} EXPORT systoleTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)

# The headers include each other from the top of the source tree ("memory/time_base.h"): include/systole is that top.
install(DIRECTORY sim pe dataflow memory DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/systole" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "sim/cli" EXCLUDE)

install(EXPORT systoleTargets NAMESPACE systole:: DESTINATION "${SYSTOLE_CMAKE_DIR}" COMPONENT development)
set(SYSTOLE_CONFIGS_DIR "${CMAKE_INSTALL_DATADIR}/systole/configs")
configure_package_config_file(cmake/systoleConfig.cmake.in "${PROJECT_BINARY_DIR}/systoleConfig.cmake"
    INSTALL_DESTINATION "${SYSTOLE_CMAKE_DIR}" PATH_VARS SYSTOLE_CONFIGS_DIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/systoleConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/systoleConfig.cmake" "${PROJECT_BINARY_DIR}/systoleConfigVersion.cmake"
    DESTINATION "${SYSTOLE_CMAKE_DIR}" COMPONENT development)
