# The tests: unit tests beside the code, the conformance suites, tests/*/CMakeLists.txt, check/.
include(GoogleTest)

# `if (...) EXPECT_EQ(...)` is fine: the macro's own else cannot be taken for the caller's.
add_library(armature_gtest INTERFACE)
target_link_libraries(armature_gtest INTERFACE GTest::gmock GTest::gtest Threads::Threads)
target_compile_options(armature_gtest INTERFACE -Wno-dangling-else ${ARMATURE_LIGHT})

# The tests of a GoogleTest program, found by asking it. What finds them passes on the first variable of an environment
# alone, so that all are set afterwards.
function(armature_discover_tests target prefix timeout)
  gtest_discover_tests(${target} TEST_PREFIX ${prefix}. TEST_LIST ${target}_names DISCOVERY_MODE PRE_TEST
                       DISCOVERY_TIMEOUT 30 PROPERTIES TIMEOUT ${timeout} LABELS fast)
  set(environment ${CMAKE_CURRENT_BINARY_DIR}/${target}_environment.cmake)
  file(WRITE ${environment} "if(${target}_names)
  set_tests_properties(\${${target}_names} PROPERTIES ENVIRONMENT \"${ARMATURE_TEST_ENVIRONMENT}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${environment})
endfunction()

armature_sources(unit_tests KEEP "src/*/*_test.cpp" "src/*/*/*_test.cpp")
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)  # no copies of programs elsewhere
  list(FILTER unit_tests EXCLUDE REGEX "/(plan|copies)_test[.]cpp$")
endif()
if(ARMATURE_SANITIZE MATCHES thread)  # those that have threads, or a network's
  foreach(test IN LISTS unit_tests)
    file(STRINGS ${test} threads LIMIT_COUNT 1 REGEX "thread|[Nn]etwork|harness/t")
    if(NOT threads)
      list(REMOVE_ITEM unit_tests ${test})
    endif()
  endforeach()
endif()
# What unit tests stand on who need a job, other ranks or another node. The library and the command know nothing of it.
armature_sources(harness_sources "tests/harness/*.cpp")
if(unit_tests)
  add_library(armature_harness STATIC ${harness_sources})
  target_include_directories(armature_harness PUBLIC src tests)
  target_compile_options(armature_harness PRIVATE ${ARMATURE_LIGHT})
  target_link_libraries(armature_harness PUBLIC armature_launcher armature_static)
  armature_precompile(armature_harness)
  add_executable(unit_tests ${unit_tests} src/engines/ofi/life_lines.cpp)  # it is in a module otherwise
  target_include_directories(unit_tests PRIVATE src)
  target_link_libraries(unit_tests PRIVATE armature_harness armature_launcher armature_static fmt::fmt armature_gtest
                        GTest::gtest_main)
  # Headers that take longer to compile than the tests themselves. None of our own here or elsewhere: ccache
  # takes a precompiled header for the same when comments differ, GCC by its bytes not, and then includes
  # what has been included already (`#pragma once`).
  target_precompile_headers(unit_tests PRIVATE <fmt/format.h> <gtest/gtest.h> <gmock/gmock.h>)
  armature_unite(unit_tests)
  add_dependencies(unit_tests armature_ucx armature_ofi)
  armature_discover_tests(unit_tests unit 60)
endif()

# The semantics table, in C++ through the public interface and in C through ARMCI's.
armature_sources(conformance KEEP "tests/conformance/*.cpp")
if(conformance)
  add_executable(conformance ${conformance})
  target_link_libraries(conformance PRIVATE armature armature_gtest)
  target_precompile_headers(conformance PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
  armature_unite(conformance PATTERN "/([a-z]+)_[a-z_]+[.]cpp$")
  foreach(ranks 1 2 3 4 8)
    set(label slow)
    if(ranks MATCHES "^[14]$")
      set(label fast)
    elseif(ranks EQUAL 2)
      set(label slow sanitized)
    endif()
    armature_add_ranks_test(NAME conformance.n${ranks} COMMAND conformance RANKS ${ranks}
                            TIMEOUT 120 LABELS ${label})
  endforeach()
  # All ranks threads of one process; two processes of two; processes that host differently many.
  armature_add_ranks_test(NAME conformance.threads.n4 COMMAND conformance RANKS 4 TIMEOUT 120
                          RUN_ARGS --threads 4)
  armature_add_ranks_test(NAME conformance.mixed.n4 COMMAND conformance RANKS 4 TIMEOUT 120
                          LABELS slow sanitized RUN_ARGS --threads 2)
  # Pretended nodes, which speak over the network engine.
  armature_add_ranks_test(NAME conformance.nodes2.n2 COMMAND conformance RANKS 2 TIMEOUT 240
                          RUN_ARGS --nodes 2)
  armature_add_ranks_test(NAME conformance.nodes3.n3 COMMAND conformance RANKS 3 TIMEOUT 240
                          LABELS slow RUN_ARGS --nodes 3)
  armature_add_ranks_test(NAME conformance.nodes3.n6 COMMAND conformance RANKS 6 TIMEOUT 240
                          LABELS slow RUN_ARGS --nodes 3)
  armature_add_ranks_test(NAME conformance.nodes2.mixed.n8 COMMAND conformance RANKS 8 TIMEOUT 300
                          LABELS slow RUN_ARGS --nodes 2 --threads 2)
  armature_add_ranks_test(NAME conformance.mixed.n5 COMMAND conformance RANKS 5 TIMEOUT 120
                          LABELS slow RUN_ARGS --threads 2)
  # A thread beside each rank executes calls.
  armature_add_ranks_test(NAME conformance.service_threads.n2 COMMAND conformance RANKS 2 TIMEOUT 120
                          LABELS slow sanitized RUN_ARGS --service-threads)
  # Threads execute calls: with ThreadSanitizer, what copies long data alone has run without them.
  set(with_threads)
  if(ARMATURE_SANITIZE MATCHES thread)
    set(with_threads --gtest_filter=-Long*:PutGet*:Strided*:Vector*:Message.large*:Expose*)
  endif()
  armature_add_ranks_test(NAME conformance.service_threads.threads.n4 COMMAND conformance ${with_threads}
                          RANKS 4 TIMEOUT 120
                          LABELS slow sanitized RUN_ARGS --service-threads --threads 4)
  armature_add_ranks_test(NAME conformance.service_threads.mixed.n4 COMMAND conformance RANKS 4 TIMEOUT 120
                          LABELS slow RUN_ARGS --service-threads --threads 2)
  armature_add_ranks_test(NAME conformance.service_threads.nodes2.n2 COMMAND conformance RANKS 2
                          TIMEOUT 240 LABELS slow RUN_ARGS --service-threads --nodes 2)
  # Fibers: on one process, and on several that host equally many or not. Sanitizers do not follow a
  # fiber from one stack to the other.
  if(NOT ARMATURE_SANITIZE)
    foreach(shape 1:1:slow 4:2:fast 5:3:slow 16:1:slow 18:2:slow)
      string(REPLACE ":" ";" shape ${shape})
      list(GET shape 0 ranks)
      list(GET shape 1 processes)
      list(GET shape 2 label)
      armature_add_ranks_test(NAME conformance.virtual.n${ranks}.p${processes} COMMAND conformance
                              RANKS ${ranks} TIMEOUT 180 LABELS ${label}
                              RUN_ARGS --virtual --processes ${processes})
    endforeach()
    # On several nodes. Teams of more than 16 do some things in other ways.
    foreach(shape 4:2:2:slow 8:2:4:slow 18:2:4:slow 7:3:3:slow)
      string(REPLACE ":" ";" shape ${shape})
      list(GET shape 0 ranks)
      list(GET shape 1 nodes)
      list(GET shape 2 processes)
      list(GET shape 3 label)
      armature_add_ranks_test(NAME conformance.virtual.n${ranks}.nodes${nodes}.p${processes}
                              COMMAND conformance RANKS ${ranks} TIMEOUT 240 LABELS ${label}
                              RUN_ARGS --virtual --nodes ${nodes} --processes ${processes})
    endforeach()
    armature_add_ranks_test(NAME conformance.teams.virtual.n18.nodes2.p4
                            COMMAND conformance --gtest_filter=Team*:Collectives*:Reductions*:RmiFence* RANKS 18
                            TIMEOUT 240 LABELS slow RUN_ARGS --virtual --nodes 2 --processes 4)
    # In the simulated transport, whose seed decides who runs when and what arrives when.
    foreach(shape 2:1:fast 4:2:slow 7:3:slow)
      string(REPLACE ":" ";" shape ${shape})
      list(GET shape 0 ranks)
      list(GET shape 1 seed)
      list(GET shape 2 label)
      armature_add_ranks_test(NAME conformance.simulated.n${ranks} COMMAND conformance
                              RANKS ${ranks} TIMEOUT 180 LABELS ${label}
                              RUN_ARGS --simulate ${seed})
    endforeach()
    # On several nodes, whose processes act in turn: what threads of the program do is no part of it.
    armature_add_ranks_test(NAME conformance.simulated.nodes2.n4
                            COMMAND conformance --gtest_filter=-PutGet.a_thread_of_a_rank_may_get* RANKS 4
                            TIMEOUT 180 LABELS slow RUN_ARGS --simulate 7 --virtual --nodes 2 --processes 2)
  endif()
endif()

file(GLOB conformance_c CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conformance/c/*.c)
if(conformance_c AND TARGET armci)
  add_executable(conformance_c ${conformance_c})
  target_link_libraries(conformance_c PRIVATE armci Threads::Threads m)
  set_target_properties(conformance_c PROPERTIES UNITY_BUILD OFF)  # C has no namespaces
  foreach(ranks 1 2 3 4)
    armature_add_ranks_test(NAME conformance_c.n${ranks} COMMAND conformance_c RANKS ${ranks}
                            TIMEOUT 120)
  endforeach()
  foreach(shape "2:fast" "4:slow;sanitized")
    string(REPLACE ":" ";" shape "${shape}")
    list(POP_FRONT shape ranks)
    armature_add_ranks_test(NAME conformance_c.nodes2.n${ranks} COMMAND conformance_c RANKS ${ranks}
                            TIMEOUT 120 LABELS ${shape} RUN_ARGS --nodes 2)
  endforeach()
  armature_add_ranks_test(NAME conformance_c.nodes3.n6 COMMAND conformance_c RANKS 6 TIMEOUT 120
                          LABELS slow RUN_ARGS --nodes 3)
  armature_add_ranks_test(NAME conformance_c.threads_are_refused COMMAND conformance_c RANKS 2
                          RUN_ARGS --threads 2 FAILS
                          PASS_REGEX "ARMCI_Init.*run it without --threads")
  add_test(NAME conformance_c.fatal
           COMMAND ${PROJECT_SOURCE_DIR}/tests/conformance/c/fatal.sh
                   ${CMAKE_BINARY_DIR}/bin/armature $<TARGET_FILE:conformance_c>)
  set_tests_properties(conformance_c.fatal PROPERTIES LABELS fast TIMEOUT 120
                       ENVIRONMENT "${ARMATURE_TEST_ENVIRONMENT}")

  # Threads that take turns; and threads that call at any time.
  foreach(shape "2:1:fast" "3:2:slow;sanitized")
    string(REPLACE ":" ";" shape "${shape}")
    list(POP_FRONT shape ranks nodes)
    armature_add_ranks_test(NAME conformance_c.serialized.nodes${nodes}.n${ranks} COMMAND conformance_c --serialized
                            RANKS ${ranks} TIMEOUT 120 LABELS ${shape} RUN_ARGS --nodes ${nodes})
  endforeach()
  foreach(shape "3:1" "4:2")
    string(REPLACE ":" ";" shape "${shape}")
    list(POP_FRONT shape ranks nodes)
    armature_add_ranks_test(NAME conformance_c.multiple.nodes${nodes}.n${ranks} COMMAND conformance_c --multiple
                            RANKS ${ranks} TIMEOUT 120 LABELS sanitized RUN_ARGS --nodes ${nodes})
  endforeach()
  # Of an operation that nobody knows, a few printable bytes are shown.
  foreach(shown unprintable:mean endless:xxxxxxxxxxxxxxxx)
    string(REPLACE ":" ";" shown ${shown})
    list(GET shown 0 operation)
    list(GET shown 1 said)
    armature_add_ranks_test(NAME conformance_c.${operation}_operation
                            COMMAND conformance_c --fatal "armci_msg_igop ${operation} operation" RANKS 2 FAILS
                            PASS_REGEX "armci_msg_igop: no such operation on this type: ${said}\$")
  endforeach()

  # The same, linked so that what runs the ranks is chosen by who starts it.
  add_executable(conformance_c_virtual ${conformance_c})
  target_link_libraries(conformance_c_virtual PRIVATE armci_virtual Threads::Threads m)
  set_target_properties(conformance_c_virtual PROPERTIES UNITY_BUILD OFF)
  armature_add_ranks_test(NAME conformance_c_virtual.processes.n3 COMMAND conformance_c_virtual
                          RANKS 3 TIMEOUT 120)
  armature_add_ranks_test(NAME conformance_c_virtual.mixed.n4 COMMAND conformance_c_virtual
                          RANKS 4 TIMEOUT 120 RUN_ARGS --threads 2)
  if(NOT ARMATURE_SANITIZE)
    foreach(shape 1:1:fast 4:1:fast 4:2:fast 4:3:fast 7:1:fast 7:2:slow 7:3:slow)
      string(REPLACE ":" ";" shape ${shape})
      list(GET shape 0 ranks)
      list(GET shape 1 processes)
      list(GET shape 2 label)
      armature_add_ranks_test(NAME conformance_c_virtual.n${ranks}.p${processes}
                              COMMAND conformance_c_virtual RANKS ${ranks} TIMEOUT 120 LABELS ${label}
                              RUN_ARGS --virtual --processes ${processes})
    endforeach()
    foreach(shape 4:2:2:fast 8:2:4:slow 7:3:3:slow)
      string(REPLACE ":" ";" shape ${shape})
      list(GET shape 3 label)
      list(GET shape 0 ranks)
      list(GET shape 1 nodes)
      list(GET shape 2 processes)
      armature_add_ranks_test(NAME conformance_c_virtual.n${ranks}.nodes${nodes}.p${processes}
                              COMMAND conformance_c_virtual RANKS ${ranks} TIMEOUT 120 LABELS ${label}
                              RUN_ARGS --virtual --nodes ${nodes} --processes ${processes})
    endforeach()
    armature_add_ranks_test(NAME conformance_c_virtual.simulated.n4 COMMAND conformance_c_virtual
                            RANKS 4 TIMEOUT 120 RUN_ARGS --simulate 5)
    armature_add_ranks_test(NAME conformance_c.virtual_ranks_are_refused COMMAND conformance_c RANKS 2
                            RUN_ARGS --virtual --processes 1 FAILS
                            PASS_REGEX "ARMCI_Init.*pkg-config --libs armci-virtual")
  endif()
endif()

armature_subdirectories("tests/*")
add_subdirectory(check)
