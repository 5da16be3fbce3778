#include "topology/switches.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::topology {
namespace {

class SwitchesOfFile : public testing::Test {
 protected:
  ~SwitchesOfFile() override { (void)std::remove(path_.c_str()); }

  std::map<std::string, int> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_switches(path_);
  }
  void expect_refused(const std::string& text, const std::string& why) {
    try {
      (void)read(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }

  const std::string path_ = testing::TempDir() + "switches-" + std::to_string(getpid());
};

TEST_F(SwitchesOfFile, nodes_are_listed_by_ranges) {
  const auto of = read(
      "# two leaves and their root\n"
      "SwitchName=s0 Nodes=a[0-1,08-09],login LinkSpeed=900\n"
      "SwitchName=s1 Nodes=a[2-3]  # the rest\n"
      "\n"
      "SwitchName=top Switches=s[0-1]\n");
  const std::map<std::string, int> expected = {{"a0", 0},    {"a1", 0}, {"a08", 0}, {"a09", 0},
                                               {"login", 0}, {"a2", 1}, {"a3", 1}};
  EXPECT_EQ(of, expected);
}

TEST_F(SwitchesOfFile, what_makes_no_sense_is_named_with_its_line) {
  expect_refused("\nSwitchName=s0 Nodes=a[0-\n", "line 2: 'a[0-' is not a list of names");
  expect_refused("SwitchName=s0 Nodes=a[3-1]", "line 1: 'a[3-1]' is not a list of names");
  expect_refused("SwitchName=s0 Nodes=a,,b", "line 1: 'a,,b' is not a list of names");
  expect_refused("Nodes=a", "line 1: nodes without a switch");
  expect_refused("s0 a b", "line 1: 's0' is not NAME=VALUE");
  expect_refused("SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b,a", "line 2: node a is at two");
  EXPECT_THROW((void)read_switches("/no/such/file"), Error);
}

}  // namespace
}  // namespace armature::topology
