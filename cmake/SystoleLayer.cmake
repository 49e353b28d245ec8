# systole_layer(NAME SOURCES glob... [EXCLUDE regex...] [DEPENDS target...] [PRECOMPILE header...])
#
# The static library systole_NAME of one layer. A layer that has headers alone becomes an INTERFACE library; which of the
# two it is, is told by SYSTOLE_NAME_SCOPE (PUBLIC or INTERFACE).
function(systole_layer NAME)
    cmake_parse_arguments(LAYER "" "" "SOURCES;EXCLUDE;DEPENDS;PRECOMPILE" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${LAYER_SOURCES})
    foreach(pattern IN LISTS LAYER_EXCLUDE)
        list(FILTER sources EXCLUDE REGEX "${pattern}")
    endforeach()

    set(scope INTERFACE)
    if(sources)
        set(scope PUBLIC)
        add_library(systole_${NAME} STATIC ${sources})
        if(LAYER_PRECOMPILE)
            target_precompile_headers(systole_${NAME} PRIVATE ${LAYER_PRECOMPILE})
        endif()
    else()
        add_library(systole_${NAME} INTERFACE)
    endif()
    target_link_libraries(systole_${NAME} ${scope} systole_options ${LAYER_DEPENDS})
    set(SYSTOLE_${NAME}_SCOPE ${scope} PARENT_SCOPE)
endfunction()
