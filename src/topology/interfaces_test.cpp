#include "topology/interfaces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::topology {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t ip(int a, int b, int c, int d) {
  return static_cast<std::uint32_t>(a << 24 | b << 16 | c << 8 | d);
}

Interface interface(const char* name, std::uint32_t address, int prefix, long megabits = 0) {
  return {.name = name,
          .address = address,
          .prefix = prefix,
          .up = true,
          .loopback = address >> 24 == 127,
          .megabits = megabits};
}

/// Makes a node as those of a cluster often are: loopback, a bridge of containers that has the same
/// address on each, and the cluster's network.
NodeInterfaces usual_node(int number) {
  return {"machine" + std::to_string(number),
          {interface("lo", ip(127, 0, 0, 1), 8), interface("docker0", ip(172, 17, 0, 1), 16),
           interface("eth0", ip(10, 0, 0, number), 24, 1000)}};
}

TEST(InterfacesTest, a_bridge_that_every_node_has_is_not_taken) {
  const std::vector<NodeInterfaces> nodes = {usual_node(1), usual_node(2), usual_node(3)};
  const InterfaceChoice choice = choose_interface(nodes, 1);
  EXPECT_EQ(choice.device, "eth0");
  EXPECT_EQ(in_subnet(nodes[2], nodes[1].interfaces[2])->address, ip(10, 0, 0, 3));
  EXPECT_EQ(choice.why, "every node has an address of its own in 10.0.0.0/24");
}

TEST(InterfacesTest, an_interface_may_have_another_name_on_each_node) {
  std::vector<NodeInterfaces> nodes = {usual_node(1), usual_node(2)};
  nodes[1].interfaces[2].name = "enp3s0";
  EXPECT_EQ(choose_interface(nodes, 0).device, "eth0");
  EXPECT_EQ(choose_interface(nodes, 1).device, "enp3s0");
}

TEST(InterfacesTest, the_fastest_that_all_have_is_taken) {
  std::vector<NodeInterfaces> nodes = {usual_node(1), usual_node(2)};
  nodes[0].interfaces.push_back(interface("eth1", ip(10, 1, 0, 1), 24, 100'000));
  EXPECT_EQ(choose_interface(nodes, 0).device, "eth0");
  nodes[1].interfaces.push_back(interface("eth1", ip(10, 1, 0, 2), 24, 100'000));
  EXPECT_EQ(choose_interface(nodes, 0).device, "eth1");
  nodes[1].interfaces.back().up = false;
  EXPECT_EQ(choose_interface(nodes, 0).device, "eth0");
}

TEST(InterfacesTest, nodes_that_are_pretended_on_a_machine_speak_over_loopback) {
  const std::vector<NodeInterfaces> nodes = {usual_node(1), usual_node(1)};
  EXPECT_EQ(choose_interface(nodes, 1).device, "lo");
}

TEST(InterfacesTest, without_a_common_subnet_the_engine_has_those_that_are_a_node_s_own) {
  std::vector<NodeInterfaces> nodes = {usual_node(1), usual_node(2)};
  nodes[1].interfaces[2].address = ip(10, 9, 0, 1);
  const InterfaceChoice choice = choose_interface(nodes, 0);
  EXPECT_EQ(choice.device, "eth0");
  EXPECT_THAT(choice.why, HasSubstr("no subnet"));
}

TEST(InterfacesTest, what_is_told_comes_back) {
  const NodeInterfaces told = usual_node(7);
  const NodeInterfaces back = read_interfaces(write(told));
  EXPECT_EQ(back.machine, told.machine);
  ASSERT_EQ(back.interfaces.size(), told.interfaces.size());
  EXPECT_EQ(back.interfaces[2].address, ip(10, 0, 0, 7));
  EXPECT_EQ(back.interfaces[2].prefix, 24);
  EXPECT_EQ(back.interfaces[2].megabits, 1000);
  EXPECT_TRUE(back.interfaces[0].loopback);
  EXPECT_THAT(read_interfaces("m\neth0 10.0.0.1/99 1 0 0\neth1 x/8 1 0 0\n\n").interfaces,
              IsEmpty());
}

TEST(InterfacesTest, one_may_be_wanted_by_its_name_or_by_its_subnet) {
  const NodeInterfaces own = usual_node(4);
  EXPECT_EQ(find_interface("eth9", own.interfaces), "eth9");
  EXPECT_EQ(find_interface("10.0.0.0/24", own.interfaces), "eth0");
  EXPECT_EQ(find_interface("10.0.0.0/8", own.interfaces), "eth0");
  EXPECT_EQ(find_interface("192.168.0.0/16", own.interfaces), "");
}

TEST(InterfacesTest, this_machine_has_a_loopback) {
  bool found = false;
  for (const Interface& one : own_interfaces().interfaces) found = found || one.loopback;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace armature::topology
