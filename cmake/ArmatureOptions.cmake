# Flags and folders that hold for everything we compile.
# Who wants the library alone builds and needs no more than that.
set(tests_default ON)
if(DEFINED BUILD_TESTING)
  set(tests_default ${BUILD_TESTING})
endif()
option(ARMATURE_TOOLS "The command `armature`: launcher, inspect, doctor, bench" ON)
option(ARMATURE_UCX "The engine between nodes, by UCX" ON)
option(ARMATURE_OFI "The engine between nodes, by libfabric" ON)
option(ARMATURE_TESTS "Tests and micro-benchmarks, which need the command and both engines" ${tests_default})
if(ARMATURE_TESTS AND NOT (ARMATURE_TOOLS AND ARMATURE_UCX AND ARMATURE_OFI))
  message(STATUS "No tests: they need the command, UCX and libfabric")
  set(ARMATURE_TESTS OFF)
endif()
option(ARMATURE_WERROR "Warnings are errors (the presets set it)" OFF)
set(ARMATURE_SANITIZE "" CACHE STRING "Sanitizers, comma-separated: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)  # POSIX names in the C tests and examples

set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Folder of the libraries below the prefix")
include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# What was built in one folder serves a clone in another: where the sources lie is in no object file.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what it must be told where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Options structs are made for `{.scale = 0.5}`: members left out have their defaults. GCC 12's
# -Wrestrict is wrong about std::string.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # It knows not all names of GCC's warnings. libstdc++ 12 calls a function of its own that is deprecated.
  add_compile_options(-Wno-unknown-warning-option -Wno-deprecated-declarations)
endif()
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion
                    $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-missing-field-initializers>
                    $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-restrict>)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options(-Wno-bitwise-instead-of-logical)  # an or of several bools is one jump, on purpose
endif()
if(CMAKE_UNITY_BUILD)
  # Several sources compiled as one, for a short build: a local of one may be called as a global of another, and
  # GCC takes an anonymous namespace in an included source for one in a header.
  add_compile_options(-Wno-shadow $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# A shared library's own calls to its own functions stay direct calls, open to inlining.
add_compile_options(-fno-semantic-interposition)
if(ARMATURE_WERROR)
  # GCC 12 is often wrong about these at -O3: they stay warnings.
  add_compile_options(-Werror -Wno-error=array-bounds -Wno-error=maybe-uninitialized
    -Wno-error=stringop-overflow -Wno-error=stringop-overread)
endif()

# Command and tests, which are not what is measured, are compiled for a short build: most of it
# is the time that the headers of their libraries take.
set(ARMATURE_LIGHT $<$<CONFIG:RelWithDebInfo>:-O1> -g1)
if(ARMATURE_SANITIZE)
  set(ARMATURE_LIGHT -O0 -g1)
endif()

if(ARMATURE_SANITIZE MATCHES undefined)
  add_compile_definitions(ARMATURE_SANITIZE_UNDEFINED)
endif()
if(ARMATURE_SANITIZE)
  add_compile_options(-fsanitize=${ARMATURE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ARMATURE_SANITIZE})
  if(ARMATURE_SANITIZE MATCHES thread)
    add_compile_options(-Wno-tsan)  # it does not model fences, and says so at each
  endif()
endif()
