# cpack -G DEB: one package with program and library. Depends comes from what the program is linked with; what only a
# user of the library needs is suggested.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME systole)
set(CPACK_PACKAGE_VENDOR "The Systole project")
set(CPACK_PACKAGE_CONTACT "The Systole project <maintainers@systole.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level simulator of systolic arrays and NPUs")
set(CPACK_PACKAGE_DESCRIPTION
"Systole simulates systolic arrays and the neural-network accelerators built
around them, cycle by cycle: processing elements, on-chip memory, HBM and PCIe.
It is given a chip and a matrix product, computes the product on the simulated
array and says how many cycles it took, which bytes moved at which level and
which cause each cycle was lost to, beside what the analytic roofline predicts.
.
The C++ library is included (find_package(systole)); the packages that it needs
to be compiled with are suggested.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox") # for --plot
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "cmake, pkg-config, libsystemc-dev, libtomlplusplus-dev, libfmt-dev, nlohmann-json3-dev, libonnx-dev, libprotobuf-dev, libsqlite3-dev")

# The files that every Debian package has; its texts are compressed without a time stamp in them.
function(systole_install_compressed TEXT DESTINATION)
    file(ARCHIVE_CREATE OUTPUT "${TEXT}.gz" PATHS "${TEXT}" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
    install(FILES "${TEXT}.gz" DESTINATION "${DESTINATION}" COMPONENT runtime)
endfunction()

string(TIMESTAMP SYSTOLE_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # or that of SOURCE_DATE_EPOCH
configure_file(cmake/debian/changelog.in "${PROJECT_BINARY_DIR}/package/changelog" @ONLY)
configure_file(cmake/systole.1.in "${PROJECT_BINARY_DIR}/package/systole.1" @ONLY)
systole_install_compressed("${PROJECT_BINARY_DIR}/package/changelog" "${SYSTOLE_DOC_DIR}")
systole_install_compressed("${PROJECT_BINARY_DIR}/package/systole.1" "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES cmake/debian/copyright DESTINATION "${SYSTOLE_DOC_DIR}" COMPONENT runtime)

include(CPack)
