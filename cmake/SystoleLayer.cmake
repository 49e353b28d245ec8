# systole_layer(NAME SOURCES glob... [EXCLUDE regex...] [DEPENDS target...] [PRECOMPILE header... | PRECOMPILED_BY target]
#               [UNITY n [ALONE name...]])
#
# The static library systole_NAME of one layer. A layer that has headers alone becomes an INTERFACE library; which of the
# two it is, is told by SYSTOLE_NAME_SCOPE (PUBLIC or INTERFACE). SYSTOLE_LAYERS gathers the names of the targets.
# UNITY: so many sources are compiled as one, which takes half the time of a whole build (0: all of them). ALONE: all but
# these (without .cpp), as they share names with others.
function(systole_layer NAME)
    cmake_parse_arguments(LAYER "" "PRECOMPILED_BY;UNITY" "SOURCES;EXCLUDE;DEPENDS;PRECOMPILE;ALONE" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${LAYER_SOURCES})
    foreach(pattern IN LISTS LAYER_EXCLUDE)
        list(FILTER sources EXCLUDE REGEX "${pattern}")
    endforeach()

    set(scope INTERFACE)
    if(sources)
        set(scope PUBLIC)
        add_library(systole_${NAME} STATIC ${sources})
        if(SYSTOLE_UNITY AND DEFINED LAYER_UNITY)
            set_target_properties(systole_${NAME} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${LAYER_UNITY})
            foreach(name IN LISTS LAYER_ALONE)
                set(alone ${sources})
                list(FILTER alone INCLUDE REGEX "/${name}\\.cpp$")
                set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
            endforeach()
        endif()
        if(LAYER_PRECOMPILE)
            target_precompile_headers(systole_${NAME} PRIVATE ${LAYER_PRECOMPILE})
        elseif(LAYER_PRECOMPILED_BY)
            target_precompile_headers(systole_${NAME} REUSE_FROM ${LAYER_PRECOMPILED_BY})
        endif()
    else()
        add_library(systole_${NAME} INTERFACE)
    endif()
    target_link_libraries(systole_${NAME} ${scope} systole_options ${LAYER_DEPENDS})
    set_target_properties(systole_${NAME} PROPERTIES EXPORT_NAME ${NAME})
    set(SYSTOLE_${NAME}_SCOPE ${scope} PARENT_SCOPE)
    set(SYSTOLE_LAYERS ${SYSTOLE_LAYERS} systole_${NAME} PARENT_SCOPE)
endfunction()
