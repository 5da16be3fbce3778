#include "rmi/objects.hpp"

#include <gtest/gtest.h>

#include "base/fail.hpp"

namespace armature::rmi {
namespace {

int destroyed = 0;
void count(void*) { ++destroyed; }

TEST(Objects, are_found_until_they_are_removed) {
  Objects objects;
  int a = 0, b = 0;
  const ObjectId first = objects.add(&a), second = objects.add(&b);
  EXPECT_EQ(objects.find(first), &a);
  EXPECT_EQ(objects.find(second), &b);
  objects.remove(first);
  EXPECT_EQ(objects.find(first), nullptr);
  EXPECT_EQ(objects.find(second), &b);
  objects.remove(first);  // not a second time
  EXPECT_EQ(objects.find({}), nullptr);
}

TEST(Objects, an_entry_stays_while_others_come_and_go) {
  Objects objects;
  int a = 0;
  const ObjectId kept = objects.add(&a);
  const Objects::Entry* const entry = objects.entry(kept);
  for (int i = 0; i < 1000; ++i) {
    const ObjectId other = objects.add(&a);
    if (i % 3 == 0) objects.remove(other);
  }
  EXPECT_EQ(objects.entry(kept), entry);
}

TEST(Objects, a_place_is_used_again_under_another_generation) {
  Objects objects;
  int a = 0, b = 0;
  const ObjectId old = objects.add(&a);
  objects.remove(old);
  const ObjectId later = objects.add(&b);
  EXPECT_EQ(later.index, old.index);
  EXPECT_NE(later.generation, old.generation);
  EXPECT_EQ(objects.find(old), nullptr);
  EXPECT_EQ(objects.find(later), &b);
}

TEST(Objects, one_whose_method_waits_is_destroyed_when_that_is_over) {
  destroyed = 0;
  Objects objects;
  int a = 0;
  const ObjectId id = objects.add(&a);
  objects.own(id, &count);
  objects.runs(&a);
  {
    const Objects::Waits waits(objects);
    objects.runs(nullptr);
    objects.destroy(id);
    objects.method_is_over();
    EXPECT_EQ(objects.find(id), nullptr);
    EXPECT_EQ(destroyed, 0);
  }
  objects.method_is_over();
  EXPECT_EQ(destroyed, 1);
}

// The lock has been let go of: the method waits with none on top of it.
TEST(Objects, one_whose_method_waits_alone_stays_when_other_threads_are_over) {
  destroyed = 0;
  Objects objects;
  int a = 0;
  const ObjectId id = objects.add(&a);
  objects.own(id, &count);
  objects.runs(&a);
  objects.destroy(id, true);
  objects.users_have_changed();
  EXPECT_TRUE(objects.is_under_way(&a));
  EXPECT_EQ(destroyed, 0);
  objects.method_is_over();
  EXPECT_FALSE(objects.is_under_way(&a));
  EXPECT_EQ(destroyed, 1);
}

TEST(Objects, one_whose_method_is_over_is_destroyed_at_once) {
  destroyed = 0;
  Objects objects;
  int a = 0;
  const ObjectId id = objects.add(&a);
  objects.own(id, &count);
  objects.runs(&a);
  objects.method_is_over();
  const Objects::Waits waits(objects);
  objects.destroy(id);
  EXPECT_EQ(destroyed, 1);
}

TEST(Objects, a_place_whose_generations_are_used_up_is_left_alone) {
  Objects objects;
  int a = 0;
  const ObjectId first = objects.add(&a);
  objects.remove(first);
  ObjectId last = first;
  for (int i = 0; i < 70000; ++i) {
    last = objects.add(&a);
    ASSERT_FALSE(last == first) << "a reference to the first object would reach this one";
    objects.remove(last);
  }
  EXPECT_NE(last.index, first.index);
}

TEST(Objects, shared_ones_keep_their_place_though_others_come_meanwhile) {
  Objects objects;
  int a = 0, b = 0;
  const std::uint32_t agreed = objects.next_shared() + 10;  // by others, who have more
  for (int i = 0; i < 20; ++i) (void)objects.add(&a);
  objects.add_at({agreed, 77}, &b, {});
  EXPECT_EQ(objects.find({agreed, 77}), &b);
  EXPECT_EQ(objects.find({agreed, 0}), nullptr) << "of another team";
  EXPECT_GT(objects.next_shared(), agreed);
}

TEST(Objects, only_owned_ones_are_destroyed) {
  Objects objects;
  int a = 0;
  const ObjectId id = objects.add(&a);
  EXPECT_THROW(objects.destroy(id), Error);
  objects.own(id, count);
  destroyed = 0;
  objects.destroy(id);
  EXPECT_EQ(destroyed, 1);
  EXPECT_THROW(objects.destroy(id), Error);
  {
    Objects others;
    others.own(others.add(&a), count);
    (void)others.add(&a);
  }
  EXPECT_EQ(destroyed, 2) << "what is left is destroyed with the table";
}

}  // namespace
}  // namespace armature::rmi
