// Programs that were written before names changed still compile.
#include <type_traits>

#include <gtest/gtest.h>

#include "armature/algorithm/regroup.hpp"  // deprecated
#include "armature/segments.hpp"
#include "armature/virtual.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace armature {
namespace {

TEST(OldNames, are_those_of_the_new_types) {
  EXPECT_TRUE((std::is_same_v<Segments, Iov>));      // deprecated
  EXPECT_TRUE((std::is_same_v<StaysHere, Pinned>));  // deprecated
}

}  // namespace
}  // namespace armature
