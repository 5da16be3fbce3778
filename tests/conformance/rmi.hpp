#pragma once

#include "armature/rmi.hpp"
#include "conformance.hpp"

namespace conformance {

/// Calls are executed while their receiver is in the library: a rank must not come to the end of a
/// test while others still call it.
inline void end_calls() {
  armature::rmi_fence();
  armature::on_async_error(nullptr);
}

/// One setting of remote calls that is another one until the end of the scope.
class With {
 public:
  template <class T>
  With(T armature::RmiSettings::*setting, T value) {
    armature::RmiSettings settings = before_;
    settings.*setting = value;
    armature::set_rmi_settings(settings);
  }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
  ~With() { armature::set_rmi_settings(before_); }

 private:
  armature::RmiSettings before_ = armature::rmi_settings();
};

/// Threads beside the ranks execute calls, whether a rank is in the library or not.
inline bool calls_come_at_any_time() { return armature::rmi_settings().service_thread; }

}  // namespace conformance

/// A TEST after which all calls are done.
#define RMI_TEST(suite, name)           \
  static void suite##_##name##_calls(); \
  TEST(suite, name) {                   \
    suite##_##name##_calls();           \
    conformance::end_calls();           \
  }                                     \
  static void suite##_##name##_calls()
