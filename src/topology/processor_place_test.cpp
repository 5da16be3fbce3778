#include "topology/processor_place.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "topology/cores.hpp"

namespace armature::topology {
namespace {

/// Two sockets of four cores with two hardware threads each. Two cores share a cache; a socket has
/// two memories.
class MadeMachine : public testing::Test {
 protected:
  MadeMachine() {
    for (int processor = 0; processor < 16; ++processor) {
      const int core = processor % 8, pair = core / 2 * 2, socket = core / 4 * 4;
      const auto both = [](int first, int last) {
        const std::string range = std::to_string(first) + '-' + std::to_string(last) + ',';
        return range + std::to_string(first + 8) + '-' + std::to_string(last + 8);
      };
      const std::string of = "cpu" + std::to_string(processor) + '/';
      write(of + "topology/core_siblings_list", both(socket, socket + 3));
      write(of + "topology/thread_siblings_list",
            std::to_string(core) + ',' + std::to_string(core + 8));
      write(of + "cache/index0/level", "1");
      write(of + "cache/index0/shared_cpu_list", std::to_string(core));
      write(of + "cache/index2/level", "3");
      write(of + "cache/index2/shared_cpu_list", both(pair, pair + 1));
      write(of + "node" + std::to_string(pair / 2) + "/cpulist", both(pair, pair + 1));
      write(of + "nodes/cpulist", "99");
    }
  }
  ~MadeMachine() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  void expect_place(const std::vector<int>& processors, int socket, int numa, int cache,
                    int core) const {
    const ProcessorPlace place = place_of(processors, folder_);
    EXPECT_EQ(place.socket, socket);
    EXPECT_EQ(place.numa, numa);
    EXPECT_EQ(place.cache, cache);
    EXPECT_EQ(place.core, core);
  }

  // Tests run beside each other.
  const std::filesystem::path folder_ =
      testing::TempDir() + "made_machine-" + std::to_string(getpid());
};

TEST_F(MadeMachine, processors_are_in_the_parts_that_have_all_of_them) {
  expect_place({11}, 0, 2, 2, 3);
  expect_place({3, 11}, 0, 2, 2, 3);
  expect_place({2, 3}, 0, 2, 2, -1);
  expect_place({6, 7, 14}, 4, 6, 6, -1);
  expect_place({0, 3}, 0, -1, -1, -1);
  expect_place({3, 4}, -1, -1, -1, -1);
}

TEST_F(MadeMachine, what_is_not_said_is_nothing) {
  expect_place({}, -1, -1, -1, -1);
  expect_place({99}, -1, -1, -1, -1);
}

TEST(ProcessorPlace, one_hardware_thread_of_this_machine_is_in_one_core) {
  const int processor = allowed_processors().front();
  if (!std::filesystem::exists("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                               "/topology/thread_siblings_list"))
    return;
  const ProcessorPlace place = place_of({processor});
  EXPECT_GE(place.core, 0);
  EXPECT_LE(place.core, processor);
  EXPECT_GE(place.socket, 0);
}

}  // namespace
}  // namespace armature::topology
