#pragma once

#include <exception>

#include "armature/rmi.hpp"
#include "conformance.hpp"

namespace conformance {

/// Calls are executed while their receiver is in the library: a rank must not come to the end of a
/// test while others still call it. A fixture's name is the suite's.
class RmiTest {
 public:
  RmiTest() = default;
  RmiTest(const RmiTest&) = delete;
  RmiTest& operator=(const RmiTest&) = delete;
  ~RmiTest() {
    if (std::uncaught_exceptions() > 0) return;
    armature::rmi_fence();
    armature::RmiSettings settings;
    settings.service_thread = armature::rmi_settings().service_thread;
    armature::set_rmi_settings(settings);
    armature::on_async_error(nullptr);
  }
};

}  // namespace conformance

#undef TEST_F
#define TEST_F(fixture, name)          \
  static void fixture##_##name();      \
  TEST(fixture, name) {                \
    const conformance::RmiTest at_end; \
    fixture##_##name();                \
  }                                    \
  static void fixture##_##name()
