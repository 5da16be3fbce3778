# libarmci: the classical C interface. The shared library stands on libarmature.so and shows C names
# only; the static one holds everything, so that one -larmci is enough, for a C compiler and for -static, too:
# libarmci.a is a linker script, as the C library's own libm.a is, that names the archive and what it needs.
set(armci_headers armci.h parmci.h message.h armcix.h mp3.h)
# Other packages have files of the same names: who installs beside them puts these elsewhere.
set(ARMATURE_ARMCI_LIBDIR ${CMAKE_INSTALL_LIBDIR} CACHE STRING "Folder of ARMCI's libraries below the prefix")
set(ARMATURE_ARMCI_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR} CACHE STRING "Folder of ARMCI's headers below the prefix")
mark_as_advanced(ARMATURE_ARMCI_LIBDIR ARMATURE_ARMCI_INCLUDEDIR)
set(armci_rpath "$ORIGIN")
if(NOT ARMATURE_ARMCI_LIBDIR STREQUAL CMAKE_INSTALL_LIBDIR)
  file(RELATIVE_PATH libraries_from_armci /prefix/${ARMATURE_ARMCI_LIBDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  list(APPEND armci_rpath "$ORIGIN/${libraries_from_armci}")
endif()
list(TRANSFORM armci_headers PREPEND ${PROJECT_SOURCE_DIR}/compat/armci/include/)

# plain/ is what the libraries made for an MPI (compat/armci_mpi) have something else for.
set(armci_plain_sources ${armci_sources})
armature_select(armci_plain_sources INCLUDE "^/compat/armci/plain/")
# static/ is what shared libraries get from elsewhere.
set(armci_static_sources ${armci_sources})
armature_select(armci_static_sources INCLUDE "^/compat/armci/static/")
armature_select(armci_sources EXCLUDE "^/compat/armci/(plain|static)/")
add_library(armci_objects OBJECT ${armci_sources})
add_library(armci_plain_objects OBJECT ${armci_plain_sources})
foreach(target armci_objects armci_plain_objects)
  target_include_directories(${target} PRIVATE compat/armci/include compat/armci)
  target_link_libraries(${target} PRIVATE armature)
  # The headers are classical C and carry no visibility marks: the version script chooses.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
endforeach()

add_library(armci_static_objects OBJECT ${armci_static_sources})
target_link_libraries(armci_static_objects PRIVATE fmt::fmt)

# A library of that name from these objects and everything else that is ours: lib<name>-static.a, and the script.
function(armci_static_library target name)
  add_library(${target} STATIC ${ARGN} $<TARGET_OBJECTS:armci_objects> $<TARGET_OBJECTS:armci_static_objects>
                               ${ARMATURE_OBJECTS})
  armature_add_scotch(${target})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${BOOST_CONTEXT}> $<INSTALL_INTERFACE:boost_context>
                                          $<BUILD_INTERFACE:${ZSTD}> $<INSTALL_INTERFACE:zstd> Threads::Threads)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}-static LINKER_LANGUAGE CXX)
  set(script ${CMAKE_BINARY_DIR}/lib/lib${name}.a)
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT
"/* A GNU ld script: the archive, and the libraries that it needs. */
INPUT ( lib${name}-static.a -lboost_context -lzstd -lstdc++ -lm -lpthread -ldl )
")
  install(FILES ${script} DESTINATION ${ARMATURE_ARMCI_LIBDIR})
endfunction()

set(armci_script ${PROJECT_SOURCE_DIR}/cmake/armci.map)
add_library(armci SHARED $<TARGET_OBJECTS:armci_objects> $<TARGET_OBJECTS:armci_plain_objects>)
target_link_libraries(armci PRIVATE armature)
target_link_options(armci PRIVATE -Wl,--version-script=${armci_script})
set_target_properties(armci PROPERTIES LINK_DEPENDS ${armci_script} LINKER_LANGUAGE CXX
                      VERSION ${PROJECT_VERSION} SOVERSION 0
                      INSTALL_RPATH "${armci_rpath}")

armci_static_library(armci_static armci $<TARGET_OBJECTS:armci_plain_objects>)

foreach(target armci armci_static)
  add_library(armature::${target} ALIAS ${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/compat/armci/include>
    $<INSTALL_INTERFACE:${ARMATURE_ARMCI_INCLUDEDIR}>)
endforeach()

# What C programs link with so that their ranks may be virtual: it runs main (armci-virtual.pc says the same).
add_library(armci_virtual STATIC compat/main/main.c)
add_library(armature::armci_virtual ALIAS armci_virtual)
target_compile_definitions(armci_virtual PRIVATE RUN_MAIN=armci_run_main EXIT_MAIN=armci_exit_main)
set_target_properties(armci_virtual PROPERTIES OUTPUT_NAME armci-virtual POSITION_INDEPENDENT_CODE ON)
target_link_options(armci_virtual INTERFACE -Wl,--wrap=main -Wl,--wrap=exit)
target_link_libraries(armci_virtual PUBLIC armci)
