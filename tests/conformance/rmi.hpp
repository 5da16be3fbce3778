#pragma once

#include "armature/rmi.hpp"
#include "conformance.hpp"

namespace conformance {

/// Calls are executed while their receiver is in the library: a rank must not come to the end of a
/// test while others still call it.
class RmiTest : public testing::Test {
 protected:
  void TearDown() override {
    armature::rmi_fence();
    armature::set_rmi_settings({});
    armature::on_async_error(nullptr);
  }
};

}  // namespace conformance
