// Tests of what UCX prints, on this machine and where there are cards.
#include "engines/ucx/printed.hpp"

#include <gtest/gtest.h>

namespace armature::transport::printed {
namespace {

TEST(Printed, the_resources_of_a_context) {
  const std::string text =
      "#\n# UCP context\n#\n#     component 0  :  self\n#            md 0  :  component 1  tcp "
      "\n#\n"
      "#      resource 0  :  md 0  dev 0  flags -- tcp/eth0\n"
      "#      resource 1  :  md 1  dev 2  flags -- rc_mlx5/mlx5_0:1\n"
      "#      resource 2  :  md 2  dev 2  flags a- rdmacm/sockaddr\n#\nno resource 3 -- x/y\n";
  const auto found = resources(text);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], "tcp/eth0");
  EXPECT_EQ(found[1], "rc_mlx5/mlx5_0:1");
  EXPECT_EQ(device_of(found[1]), "mlx5_0:1");
  EXPECT_EQ(kind_of(found[1]), "rc_mlx5");
  EXPECT_TRUE(is_rdma(found[1]));
  EXPECT_FALSE(is_rdma(found[0]));
  EXPECT_FALSE(is_rdma("ud_mlx5/mlx5_0:1"));
}

TEST(Printed, the_lanes_of_an_endpoint) {
  const std::string text =
      "#\n# UCP endpoint 0x1\n#\n#               peer: name\n"
      "#     lane[0]:  1:tcp/lo.0 md[0]           -> md[0]/tcp/sysdev[255] am am_bw#0 wireup\n"
      "#     lane[1]:  4:rc_mlx5/mlx5_0:1.0 md[2] -> md[2]/ib/sysdev[0]   rma_bw#0\n"
      "#     lane[2]\n";
  const auto found = lanes(text);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].transport, "tcp/lo");
  EXPECT_EQ(found[0].uses, "am, am_bw#0, wireup");
  EXPECT_EQ(found[1].transport, "rc_mlx5/mlx5_0:1");
  EXPECT_EQ(found[1].uses, "rma_bw#0");
}

TEST(Printed, nothing_where_the_words_are_others) {
  EXPECT_TRUE(resources("").empty());
  EXPECT_TRUE(resources("# resource\n# resource 0 : none\n").empty());
  EXPECT_TRUE(lanes("# lane[0]:\n#\n#lane 1:tcp/lo.0 am\n").empty());
  EXPECT_EQ(device_of("tcp"), "");
}

TEST(Printed, words_are_joined_once) {
  EXPECT_EQ(joined_once({"tcp", "rc", "tcp"}, ", "), "tcp, rc");
  EXPECT_EQ(joined_once({}, ", "), "");
}

}  // namespace
}  // namespace armature::transport::printed
