# Scotch, and the one source that calls it, linked into an object that shows nothing but that source's function: the
# libraries hold it, so who links with them needs no Scotch, and may have another one.
find_path(SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch-int64 NO_CACHE REQUIRED)
find_library(SCOTCH_ARCHIVE NAMES libscotch.a PATH_SUFFIXES scotch-int64 NO_CACHE REQUIRED)

add_library(armature_scotch_door OBJECT ${PROJECT_SOURCE_DIR}/src/balance/scotch/partition.cpp)
target_include_directories(armature_scotch_door PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(armature_scotch_door SYSTEM PRIVATE ${SCOTCH_INCLUDE})
target_compile_options(armature_scotch_door PRIVATE -fno-exceptions)

set(ARMATURE_SCOTCH_OBJECT ${CMAKE_BINARY_DIR}/scotch/scotch.o)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/scotch)
# Clang's AddressSanitizer has one flag for all objects.
add_custom_command(
  OUTPUT ${ARMATURE_SCOTCH_OBJECT}
  COMMAND ${CMAKE_LINKER} -r -o ${ARMATURE_SCOTCH_OBJECT}.all $<TARGET_OBJECTS:armature_scotch_door>
          ${SCOTCH_ARCHIVE}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=_ZN8armature7balance6scotch*
          --keep-global-symbol=___asan_globals_registered
          ${ARMATURE_SCOTCH_OBJECT}.all ${ARMATURE_SCOTCH_OBJECT}
  DEPENDS armature_scotch_door $<TARGET_OBJECTS:armature_scotch_door> ${SCOTCH_ARCHIVE}
  COMMENT "Linking what is needed of Scotch" VERBATIM)
add_custom_target(armature_scotch DEPENDS ${ARMATURE_SCOTCH_OBJECT})

# For each library that is made of ARMATURE_OBJECTS.
function(armature_add_scotch target)
  set_source_files_properties(${ARMATURE_SCOTCH_OBJECT} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${ARMATURE_SCOTCH_OBJECT})
  add_dependencies(${target} armature_scotch)
endfunction()
