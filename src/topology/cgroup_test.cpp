#include "topology/cgroup.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace armature::topology {
namespace {

class CgroupTest : public ::testing::Test {
 protected:
  CgroupTest() {
    root_ = ::testing::TempDir() + "/armature-cgroup-XXXXXX";
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
  }
  ~CgroupTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(CgroupTest, nothing_there_is_no_limit) {
  const auto limits = cgroup_limits(root_);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_bytes);
}

TEST_F(CgroupTest, version_2_takes_the_tightest_on_the_way_to_the_root) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/a/b/memory.max", "2000\n");
  write("/sys/fs/cgroup/a/memory.max", "1000\n");
  write("/sys/fs/cgroup/a/memory.current", "300\n");
  write("/sys/fs/cgroup/a/b/memory.events", "low 0\noom 3\noom_kill 2\n");

  const auto limits = cgroup_limits(root_);
  EXPECT_DOUBLE_EQ(limits.cpus.value(), 1.5);
  EXPECT_EQ(limits.memory_bytes.value(), 1000U);
  EXPECT_EQ(limits.memory_used_bytes, 300U);
  EXPECT_EQ(limits.memory_file, root_ + "/sys/fs/cgroup/a/memory.max");
  EXPECT_EQ(limits.oom_kills, 2U);
}

TEST_F(CgroupTest, version_1_in_a_container_sees_the_hosts_path) {
  write("/proc/self/cgroup", "4:cpu,cpuacct:/docker/1234\n3:memory:/docker/1234\n0::/\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");

  const auto limits = cgroup_limits(root_);
  EXPECT_DOUBLE_EQ(limits.cpus.value(), 2.0);
  EXPECT_EQ(limits.memory_bytes.value(), 4096U);
}

TEST_F(CgroupTest, version_1_without_limits_has_none) {
  write("/proc/self/cgroup", "4:cpu,cpuacct:/\n3:memory:/\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");

  const auto limits = cgroup_limits(root_);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_bytes);
}

}  // namespace
}  // namespace armature::topology
