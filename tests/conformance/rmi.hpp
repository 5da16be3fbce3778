#pragma once

#include "armature/rmi.hpp"
#include "conformance.hpp"

namespace conformance {

/// Calls are executed while their receiver is in the library: a rank must not come to the end of a
/// test while others still call it.
inline void end_calls() {
  armature::rmi_fence();
  armature::RmiSettings settings;
  settings.service_thread = armature::rmi_settings().service_thread;
  armature::set_rmi_settings(settings);
  armature::on_async_error(nullptr);
}

}  // namespace conformance

/// A TEST after which all calls are done, and all settings as before.
#define RMI_TEST(suite, name)           \
  static void suite##_##name##_calls(); \
  TEST(suite, name) {                   \
    suite##_##name##_calls();           \
    conformance::end_calls();           \
  }                                     \
  static void suite##_##name##_calls()
