#include "bootstrap/private_globals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::bootstrap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PrivateGlobalsTest, on_and_off_name_no_library) {
  EXPECT_TRUE(PrivateGlobals::parse("on").value().are_on);
  EXPECT_THAT(PrivateGlobals::parse("on").value().libraries, IsEmpty());
  EXPECT_FALSE(PrivateGlobals::parse("off").value().are_on);
}

TEST(PrivateGlobalsTest, a_list_begins_with_the_program) {
  EXPECT_THAT(PrivateGlobals::parse("program").value().libraries, IsEmpty());
  EXPECT_THAT(PrivateGlobals::parse("program,liba.so,libb.so.2").value().libraries,
              ElementsAre("liba.so", "libb.so.2"));
  EXPECT_TRUE(PrivateGlobals::parse("program,liba.so").value().are_on);
}

TEST(PrivateGlobalsTest, what_is_no_list_is_nothing) {
  for (const char* text : {"", "yes", "liba.so", "liba.so,program", "program,", "program,,liba.so",
                           "program,a b.so", "program,lib/a.so", "program,program", "on,liba.so"})
    EXPECT_FALSE(PrivateGlobals::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace armature::bootstrap
