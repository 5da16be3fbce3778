# armature_add_ranks_test(NAME n COMMAND program args... RANKS k
#                         [LABELS fast|slow [sanitized]] [TIMEOUT seconds] [PASS_REGEX regex] [FAILS]
#                         [RUN_ARGS args...] [ENVIRONMENT A=b...])
# A test that runs a program on k ranks under `armature run`. COMMAND starts with a target or a path.
# LABELS defaults to fast, TIMEOUT to 60. Fast ones run under sanitizers, too, and slow ones that are sanitized.
# RUN_ARGS go to `armature run` itself. PASS_REGEX must be found in a line of the output, each of its lines if it
# has several. FAILS: the job must end with another status than 0, and before its time is up.
function(armature_add_ranks_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "FAILS" "NAME;RANKS;TIMEOUT;PASS_REGEX"
                        "COMMAND;LABELS;RUN_ARGS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_RANKS OR NOT arg_COMMAND)
    message(FATAL_ERROR "armature_add_ranks_test(${arg_NAME}): bad arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS fast)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(ARMATURE_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 3")  # they take their time
  endif()
  # The command may be one that was built without (tests/sanitizers/run.sh).
  if(ARMATURE_SANITIZE AND NOT "--check" IN_LIST arg_RUN_ARGS)
    list(APPEND arg_RUN_ARGS --check --no-races)
  endif()
  if(ARMATURE_SANITIZE MATCHES thread)
    list(APPEND arg_RUN_ARGS --base 0x1000000000 --segment-size 8G)  # src/space/layout.hpp
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(run ${CMAKE_BINARY_DIR}/bin/armature run -n ${arg_RANKS} --timeout ${arg_TIMEOUT}
          ${arg_RUN_ARGS} ${program} ${arg_COMMAND})
  if(arg_FAILS OR arg_PASS_REGEX)
    # ctest itself ignores the exit status where a regular expression is given; the script does not.
    set(mode succeeds)
    if(arg_FAILS)
      set(mode fails)
    endif()
    set(run ${PROJECT_SOURCE_DIR}/cmake/expect.sh ${mode} "${arg_PASS_REGEX}" ${run})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${run})
  set(processors ${arg_RANKS})
  if(processors GREATER 2)
    set(processors 2)  # ranks beyond the cores share them; do not keep ctest from starting it
  endif()
  math(EXPR outer "${arg_TIMEOUT} + 15")
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${outer}
                       PROCESSORS ${processors}
                       ENVIRONMENT "${ARMATURE_TEST_ENVIRONMENT};${arg_ENVIRONMENT}")
endfunction()

# What tests need in their environment: a folder of their own for what they write (::testing::TempDir()), and what
# sanitized programs want. GCC 12's leak checker takes some blocks of dlopen'ed thread-local variables, by where they
# happen to lie, for an older C library's, and dies of what it reads there (github.com/google/sanitizers; mended in
# GCC 14): it is told not to look for them.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/scratch)
set(ARMATURE_TEST_ENVIRONMENT
  TEST_TMPDIR=${CMAKE_BINARY_DIR}/scratch
  ASAN_OPTIONS=abort_on_error=0:detect_stack_use_after_return=0:intercept_tls_get_addr=0
  UBSAN_OPTIONS=print_stacktrace=1
  TSAN_OPTIONS=halt_on_error=1)
