# The parts of the HTML report, put into the library when it is built: the files of sim/report/html/ and Chart.js.

find_file(SYSTOLE_CHART_JS chart.min.js PATH_SUFFIXES share/javascript/chart.js javascript/chart.js PATHS /usr/share/javascript/chart.js)
systole_require("${SYSTOLE_CHART_JS}" "Chart.js (chart.min.js), which the HTML report holds," "libjs-chart.js")

# systole_embed_html(TARGET): adds the definition of html_asset() to the target.
function(systole_embed_html TARGET)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sim/report/html/*")
    set(generated "${PROJECT_BINARY_DIR}/html_assets.cpp")
    set(script "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake")
    add_custom_command(OUTPUT "${generated}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${generated}" "-DFILES=${files}" "-DCHART_JS=${SYSTOLE_CHART_JS}" -P "${script}"
        DEPENDS "${script}" ${files} "${SYSTOLE_CHART_JS}"
        COMMENT "Putting the parts of the HTML report into html_assets.cpp" VERBATIM)
    target_sources(${TARGET} PRIVATE "${generated}")
    set_source_files_properties("${generated}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON
        SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
