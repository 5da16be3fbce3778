#pragma once

#include "conformance.hpp"

// Runs the tests on all ranks at once. GoogleTest knows nothing of ranks, so this is added:
//
// - In each process one rank, its first, runs GoogleTest; the others of the process, which are
//   threads, wait for the body of the next test and run it too. Assertions may fail on any thread.
// - Only the process of rank 0 prints the usual output; failures of other ranks are printed with
//   the rank.
// - A rank that fails an ASSERT leaves a test that the others are still in. After each test every
//   rank says on a board in shared memory how it went, and the next begins when all have. When
//   only some have left the test early, or a rank with a failure is stuck in the rest of its test,
//   the ranks are no longer at the same place, and the job ends with the first failure as its
//   message. The board uses plain loads and stores, so that a broken barrier is reported by its own
//   test.

namespace conformance {

/// Begins the thread that ends a job whose ranks wait in vain after a failure. Before any rank
/// runs: a virtual rank with a thread of its own would stay in its process.
void begin_watch();

/// Runs all tests; collective. Returns this rank's exit status.
int run_tests_together();

}  // namespace conformance
