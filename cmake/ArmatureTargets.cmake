# Helpers by which CMakeLists.txt turns folders into targets.

# armature_sources(<variable> [KEEP] <pattern>...): the files matching, without unit tests and
# micro-benchmarks (which live beside the code) unless KEEP is said.
function(armature_sources variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "KEEP" "" "")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  if(NOT arg_KEEP)
    list(FILTER files EXCLUDE REGEX "_(test|bench)\\.cpp$")
  endif()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# armature_select(<variable> INCLUDE|EXCLUDE <regex>): keeps the files whose path in the clone, "/src/rma/put.cpp",
# matches, or those whose path does not. Folders above the clone may be called as they like.
function(armature_select variable mode pattern)
  set(selected)
  foreach(file IN LISTS ${variable})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE place)
    set(matches FALSE)
    if("/${place}" MATCHES "${pattern}")
      set(matches TRUE)
    endif()
    if((mode STREQUAL "INCLUDE" AND matches) OR (mode STREQUAL "EXCLUDE" AND NOT matches))
      list(APPEND selected ${file})
    endif()
  endforeach()
  set(${variable} ${selected} PARENT_SCOPE)
endfunction()

# A target needs a source, also while its room is still empty.
function(armature_stub_if_empty variable)
  if(NOT ${variable})
    file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
    set(${variable} ${CMAKE_BINARY_DIR}/empty.cpp PARENT_SCOPE)
  endif()
endfunction()

# What most sources include is compiled once for the target, which saves 30 % of its time. The debug preset
# does without: a source that lacks an include does not compile there.
option(ARMATURE_PRECOMPILE "Compile the headers that most sources include once a target" ON)
function(armature_precompile target)
  if(ARMATURE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cstring> <functional> <map> <memory>
                              <mutex> <optional> <span> <string> <thread> <vector> <fmt/format.h>)
  endif()
endfunction()

# Where CMAKE_UNITY_BUILD is on, sources of the target for which PATTERN captures the same are compiled as one: a room of
# the library by default. So names in anonymous namespaces must differ among them only, whatever sources come and go
# elsewhere. TOGETHER names small rooms that are one source, as a+b: each source reads the same headers first. Sources
# with options of their own stay by themselves.
function(armature_unite target)
  cmake_parse_arguments(arg "" "PATTERN" "TOGETHER" ${ARGN})
  if(NOT arg_PATTERN)
    set(arg_PATTERN "/src/([^/]+)/")
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    # What lies above the clone may be called src, too.
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "/" place ${source})
    if(place MATCHES "${arg_PATTERN}")
      set(group ${CMAKE_MATCH_1})
      foreach(rooms IN LISTS arg_TOGETHER)
        if("+${rooms}+" MATCHES "[+]${group}[+]")
          string(REPLACE "+" "_" group ${rooms})
          break()
        endif()
      endforeach()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# A static library of parts of src/ that is linked into the command and the unit tests only.
# Sets <target>_SCOPE to the keyword with which to link it.
function(armature_internal_library target)
  armature_sources(sources ${ARGN})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    armature_precompile(${target})
    set(${target}_SCOPE PUBLIC PARENT_SCOPE)
  else()
    add_library(${target} INTERFACE)
    set(${target}_SCOPE INTERFACE PARENT_SCOPE)
  endif()
endfunction()

# add_subdirectory for every folder matching that has a CMakeLists.txt.
function(armature_subdirectories pattern)
  file(GLOB lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern}/CMakeLists.txt)
  foreach(list IN LISTS lists)
    cmake_path(GET list PARENT_PATH folder)
    add_subdirectory(${folder})
  endforeach()
endfunction()

# armature_programs(<folder> LIBRARIES ...): <folder>/x.cpp and <folder>/x/*.cpp become
# bin/<folder>/x, target <folder>_x; x.c and x/*.c link libarmci instead. A folder x without x/x.cpp
# holds what several programs share: a static library <folder>_x, whose headers are "x/....hpp". A
# folder's own CMakeLists.txt, if it has one, adds to its target.
function(armature_programs folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  file(GLOB entries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*)
  foreach(entry IN LISTS entries)
    set(shared FALSE)
    if(IS_DIRECTORY ${entry})
      cmake_path(GET entry FILENAME name)
      if(NOT EXISTS ${entry}/${name}.cpp AND NOT EXISTS ${entry}/${name}.c)
        set(shared TRUE)
      endif()
      file(GLOB sources CONFIGURE_DEPENDS ${entry}/*.cpp ${entry}/*.c)
      list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    elseif(entry MATCHES "\\.(cpp|c)$")
      cmake_path(GET entry STEM name)
      set(sources ${entry})
    else()
      continue()
    endif()
    if(sources)
      if(shared)
        armature_shared_folder(${folder} ${name} "${sources}" "${arg_LIBRARIES}")
      else()
        armature_program(${folder} ${name} "${sources}" "${arg_LIBRARIES}")
      endif()
      if(EXISTS ${entry}/CMakeLists.txt)
        add_subdirectory(${entry})
      endif()
    endif()
  endforeach()
endfunction()

function(armature_shared_folder folder name sources libraries)
  add_library(${folder}_${name} STATIC ${sources})
  target_include_directories(${folder}_${name} PUBLIC ${PROJECT_SOURCE_DIR}/${folder})
  target_link_libraries(${folder}_${name} PUBLIC ${libraries})
endfunction()

function(armature_program folder name sources libraries)
  if(NOT sources MATCHES "\\.cpp")
    if(NOT TARGET armci)
      return()
    endif()
    set(libraries armci m)
    if(name MATCHES "^shmem_")
      set(libraries shmem m)
    endif()
  endif()
  add_executable(${folder}_${name} ${sources})
  target_link_libraries(${folder}_${name} PRIVATE ${libraries} Threads::Threads)
  # Each file is read by itself, and may call things as its neighbours do.
  set_target_properties(${folder}_${name} PROPERTIES OUTPUT_NAME ${name} UNITY_BUILD OFF
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/${folder})
endfunction()
