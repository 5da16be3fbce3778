// Objects that ranks register by themselves and find by name.
#include <string>

#include "rmi.hpp"

using namespace conformance;  // NOLINT(google-build-using-namespace)

namespace {

struct Shop {
  int sold = 0;
  int sell(int n) { return sold += n; }
};

}  // namespace

RMI_TEST(RmiNamed, objects_are_found_by_name_whatever_order_they_were_registered_in) {
  Shop bread, cheese;
  {
    const bool bread_first = me() % 2 == 0;
    const armature::registered<Shop> one(bread_first ? bread : cheese,
                                         bread_first ? "bread" : "cheese");
    const armature::registered<Shop> two(bread_first ? cheese : bread,
                                         bread_first ? "cheese" : "bread");
    EXPECT_EQ(armature::find_remote<Shop>(right(), "bread").sync(&Shop::sell, 3), 3);
    EXPECT_EQ(armature::find_remote<Shop>(right(), "cheese").sync(&Shop::sell, 5), 5);
    armature::rmi_fence();
  }
  EXPECT_EQ(bread.sold, 3);
  EXPECT_EQ(cheese.sold, 5);
}

RMI_TEST(RmiNamed, who_looks_for_an_object_waits_until_it_is_there) {
  Shop shop;
  armature::remote<Shop> found;
  if (me() % 2 == 1) found = armature::find_remote<Shop>(left(), "late");
  const armature::registered<Shop> registered(shop, "late");
  if (me() % 2 == 0) found = armature::find_remote<Shop>(left(), "late");
  EXPECT_EQ(found.sync(&Shop::sell, 1), 1);
  armature::rmi_fence();
}

RMI_TEST(RmiNamed, a_name_is_taken_once_and_free_again_after) {
  Shop shop;
  for (int round = 0; round < 2; ++round) {
    const armature::registered<Shop> registered(shop, "only");
    expect_error(armature::Errc::misuse, {"only"},
                 [&] { const armature::registered<Shop> again(shop, "only"); });
  }
}
