#include "base/variable.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::base {
namespace {

constexpr const char* name = "ARMATURE_TEST_DURATION";

TEST(Variable, seconds_have_units) {
  EXPECT_EQ(parse_seconds("20"), 20);
  EXPECT_EQ(parse_seconds("0.5s"), 0.5);
  EXPECT_EQ(parse_seconds("10m"), 600);
  EXPECT_EQ(parse_seconds("2min"), 120);
  EXPECT_EQ(parse_seconds("2h"), 7200);
}

TEST(Variable, what_is_no_time_is_refused) {
  for (const char* text : {"", "s", "10 s", "-1", "nan", "inf", "1e10", "5d", "5mins"})
    EXPECT_EQ(parse_seconds(text), std::nullopt) << text;
}

TEST(Variable, a_duration_is_exact_and_names_itself_when_wrong) {
  unsetenv(name);
  EXPECT_EQ(duration_variable(name), std::nullopt);
  setenv(name, "0.25", 1);
  EXPECT_EQ(duration_variable(name), std::chrono::milliseconds(250));
  setenv(name, "soon", 1);
  try {
    (void)duration_variable(name);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::start);
    EXPECT_NE(std::string(error.what()).find("ARMATURE_TEST_DURATION='soon'"), std::string::npos);
  }
  unsetenv(name);
}

}  // namespace
}  // namespace armature::base
