#include <cstdlib>

#include "together.hpp"

bool conformance::checks_in_full() {
#ifdef ARMATURE_DEBUG
  return true;
#else
  return std::getenv("CONFORMANCE_CHECKS_IN_FULL") != nullptr;
#endif
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // The ranks must shuffle alike.
  if (testing::GTEST_FLAG(random_seed) == 0) testing::GTEST_FLAG(random_seed) = 1;
  conformance::begin_watch();
  return armature::run(argc, argv,
                       [](armature::World&) { return conformance::run_tests_together(); });
}
