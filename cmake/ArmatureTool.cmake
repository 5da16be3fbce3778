# The parts of the command that unit tests look into: the launcher, and what reads a job's state from outside.
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
find_package(nlohmann_json REQUIRED)

armature_internal_library(armature_explain "src/command/explain/*.cpp")
target_link_libraries(armature_explain ${armature_explain_SCOPE} armature_static fmt::fmt)

armature_internal_library(armature_launcher "src/command/executable/*.cpp" "src/command/trace/*.cpp"
                          "src/command/run/*.cpp")
target_link_libraries(armature_launcher ${armature_launcher_SCOPE} armature_explain
                      armature_static fmt::fmt nlohmann_json::nlohmann_json PkgConfig::hwloc PkgConfig::libdw Threads::Threads)

# Debuggers need the type of the table's entries.
set_source_files_properties(src/command/run/mpir.cpp PROPERTIES COMPILE_OPTIONS -g SKIP_PRECOMPILE_HEADERS ON)

# The `armature` command, with its benchmarks. It reads control blocks, hence the static library and src/.
armature_sources(tool_sources "src/command/*.cpp" "src/command/describe/*.cpp" "src/command/doctor/*.cpp"
                 "src/command/inspect/*.cpp" "src/command/predict/*.cpp")
armature_sources(bench_sources "bench/*.cpp")
if(tool_sources)
  find_package(CLI11 REQUIRED)
  # The benchmarks' own loops are the limits that the library is measured against: they are optimised.
  add_library(armature_bench OBJECT ${bench_sources})
  add_executable(armature_tool ${tool_sources})
  target_compile_options(armature_tool PRIVATE ${ARMATURE_LIGHT})
  foreach(target armature_bench armature_tool)
    target_include_directories(${target} PRIVATE src ${PROJECT_SOURCE_DIR})
    armature_precompile(${target})
    target_link_libraries(${target} PRIVATE armature_launcher armature_static CLI11::CLI11 nlohmann_json::nlohmann_json
                                            fmt::fmt PkgConfig::libdw Threads::Threads ${CMAKE_DL_LIBS})
  endforeach()
  target_link_libraries(armature_tool PRIVATE armature_bench)
  # Debuggers read the launcher's table by the names of its symbols, also where the command is stripped.
  target_link_options(armature_tool PRIVATE "-Wl,--export-dynamic-symbol=MPIR_*")
  # Each subcommand is a file, and so is each kind of measurement, with names as its neighbours have.
  set_target_properties(armature_tool PROPERTIES OUTPUT_NAME armature)
  set_target_properties(armature_tool armature_bench PROPERTIES UNITY_BUILD OFF)
  if(ARMATURE_UCX)
    # What `armature bench net` compares with, loaded by it: the engine by itself.
    armature_sources(bench_ucx_sources "bench/ucx/*.cpp")
    add_library(armature_bench_ucx MODULE ${bench_ucx_sources})
    target_include_directories(armature_bench_ucx PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(armature_bench_ucx PRIVATE ${UCP_LIBRARY} ${UCS_LIBRARY})
    set_target_properties(armature_bench_ucx PROPERTIES OUTPUT_NAME armature-bench-ucx)
    add_dependencies(armature_tool armature_bench_ucx)
  endif()
  # What `./dev papers` compares with: windows of transfers by each engine's own calls.
  add_executable(windows_card bench/engines/windows.cpp bench/engines/card.cpp)
  target_include_directories(windows_card PRIVATE src)
  target_link_libraries(windows_card PRIVATE armature_static fmt::fmt)
  if(ARMATURE_UCX)
    add_executable(windows_ucx bench/engines/windows.cpp bench/ucx/native_ucx.cpp)
    target_link_libraries(windows_ucx PRIVATE ${UCP_LIBRARY} ${UCS_LIBRARY})
  endif()
  if(ARMATURE_OFI)
    add_executable(windows_fabric bench/engines/windows.cpp bench/engines/fabric.cpp)
    target_include_directories(windows_fabric SYSTEM PRIVATE ${FABRIC_INCLUDE})
    target_link_libraries(windows_fabric PRIVATE ${FABRIC_LIBRARY})
  endif()
  foreach(engine card ucx fabric)
    if(TARGET windows_${engine})
      target_include_directories(windows_${engine} PRIVATE ${PROJECT_SOURCE_DIR})
      set_target_properties(windows_${engine} PROPERTIES UNITY_BUILD OFF RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/bench)
    endif()
  endforeach()
  # The best partition of a graph, beside which `armature bench balance` stands.
  add_executable(scotch_partition bench/scotch/scotch_partition.cpp)
  target_include_directories(scotch_partition SYSTEM PRIVATE ${SCOTCH_INCLUDE})
  target_link_libraries(scotch_partition PRIVATE ${SCOTCH_ARCHIVE} m Threads::Threads)
  set_target_properties(scotch_partition PROPERTIES UNITY_BUILD OFF
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/bench)
  # What globals of one's own cost: `armature bench virtual` runs them where they are beside it.
  if(TARGET armature_malloc AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    foreach(program small:1:0 large:1048576:256)
      string(REPLACE ":" ";" program ${program})
      list(POP_FRONT program name bytes locals)
      add_executable(globals_bench_${name} bench/globals/globals.cpp)
      target_include_directories(globals_bench_${name} PRIVATE ${PROJECT_SOURCE_DIR})
      target_compile_definitions(globals_bench_${name} PRIVATE GLOBALS_BYTES=${bytes} GLOBALS_LOCALS=${locals})
      target_compile_options(globals_bench_${name} PRIVATE -O2 -fPIE)
      target_link_options(globals_bench_${name} PRIVATE -pie)
      target_link_libraries(globals_bench_${name} PRIVATE armature)
      set_target_properties(globals_bench_${name} PROPERTIES UNITY_BUILD OFF OUTPUT_NAME globals_${name}
                            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/bench)
    endforeach()
  endif()
  # Manual pages and completions, made of the command's own help. Where the command cannot run here there are none.
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(descriptions ${CMAKE_BINARY_DIR}/share)
    add_custom_command(OUTPUT ${descriptions}/made
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${descriptions}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${descriptions}/bash ${descriptions}/zsh
      COMMAND armature_tool help --man-pages ${descriptions}/man1
      COMMAND armature_tool completion bash > ${descriptions}/bash/armature
      COMMAND armature_tool completion zsh > ${descriptions}/zsh/_armature
      COMMAND ${CMAKE_COMMAND} -E touch ${descriptions}/made
      DEPENDS armature_tool)
    add_custom_target(armature_descriptions ALL DEPENDS ${descriptions}/made)
  endif()
endif()
