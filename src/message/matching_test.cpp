#include "message/matching.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace armature::message {
namespace {

constexpr std::int32_t any = Label::any;

TEST(PostedReceives, the_one_that_was_posted_first_gets_the_message) {
  PostedReceives posted;
  PostedReceive exact({0, 3, 7}), from_any({0, any, 7}), all({0, any, any}), from_3({0, 3, any});
  posted.post(all);
  posted.post(exact);
  posted.post(from_any);
  posted.post(from_3);
  EXPECT_EQ(posted.size(), 4u);
  EXPECT_EQ(posted.match({0, 3, 7}), &all);
  EXPECT_EQ(posted.match({0, 3, 7}), &exact);
  EXPECT_EQ(posted.match({0, 3, 8}), &from_3);
  EXPECT_EQ(posted.match({1, 3, 7}), nullptr) << "another context";
  EXPECT_EQ(posted.match({0, 3, 7}), &from_any);
  EXPECT_EQ(posted.match({0, 3, 7}), nullptr);
}

TEST(PostedReceives, one_that_is_withdrawn_gets_nothing) {
  PostedReceives posted;
  PostedReceive one({0, 3, 7}), other({0, 3, 7});
  posted.post(one);
  posted.post(other);
  EXPECT_TRUE(posted.withdraw(one));
  EXPECT_FALSE(posted.withdraw(one));
  EXPECT_EQ(posted.match({0, 3, 7}), &other);
  EXPECT_FALSE(posted.withdraw(other));
}

TEST(WaitingMessages, the_first_that_matches_is_found_by_every_kind_of_pattern) {
  WaitingMessages waiting;
  WaitingMessage a({0, 2, 9}), b({0, 3, 7}), c({0, 3, 9}), d({1, 3, 9});
  for (WaitingMessage* one : {&d, &a, &b, &c}) waiting.add(*one);
  EXPECT_EQ(waiting.find({0, 3, 9}), &c);
  EXPECT_EQ(waiting.find({0, 3, any}), &b);
  EXPECT_EQ(waiting.find({0, any, 9}), &a);
  EXPECT_EQ(waiting.find({0, any, any}), &a);
  EXPECT_EQ(waiting.find({1, any, any}), &d);
  EXPECT_EQ(waiting.find({2, any, any}), nullptr);
  EXPECT_EQ(waiting.find({0, 4, 9}), nullptr);
}

TEST(WaitingMessages, one_that_is_put_back_is_the_first_again) {
  WaitingMessages waiting;
  WaitingMessage first({0, 1, 1}), second({0, 1, 1});
  waiting.add(first);
  waiting.add(second);
  EXPECT_EQ(waiting.find({0, any, 1}), &first);
  waiting.remove(first);
  EXPECT_EQ(waiting.find({0, any, 1}), &second);
  waiting.put_back(first);
  EXPECT_EQ(waiting.find({0, any, 1}), &first);
  EXPECT_EQ(waiting.find({0, 1, 1}), &first);
  EXPECT_EQ(waiting.in_order(), (std::vector<WaitingMessage*>{&first, &second}));
}

TEST(WaitingMessages, labels_that_come_and_go_take_no_more_room_than_those_that_wait) {
  WaitingMessages waiting;
  WaitingMessage kept({0, 0, 0});
  waiting.add(kept);
  for (std::int32_t i = 1; i < 20'000; ++i) {
    WaitingMessage one({0, i, i});
    waiting.add(one);
    ASSERT_EQ(waiting.find({0, i, i % 2 == 0 ? i : any}), &one);
    waiting.remove(one);
    ASSERT_EQ(waiting.find({0, i, i}), nullptr);
  }
  EXPECT_EQ(waiting.find({0, any, 0}), &kept);
  EXPECT_EQ(waiting.in_order(), std::vector<WaitingMessage*>{&kept});
  EXPECT_LE(waiting.places(), 64u);
}

/// Finds by MPI's rule, without any index: the first item that matches.
template <class Item>
Item* first_that(const std::deque<Item*>& items, auto&& matches) {
  const auto found = std::ranges::find_if(items, matches);
  return found == items.end() ? nullptr : *found;
}

class RandomLabels {
 public:
  explicit RandomLabels(unsigned seed) : random_(seed) {}
  Label message() { return {pick(2), static_cast<std::int32_t>(pick(4)), number()}; }
  Label pattern() {
    Label label = message();
    if (pick(3) == 0) label.source = any;
    if (pick(3) == 0) label.tag = any;
    return label;
  }
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  std::int32_t number() { return static_cast<std::int32_t>(pick(4)); }
  std::mt19937 random_;
};

TEST(PostedReceives, match_as_a_list_that_is_searched_from_its_begin) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomLabels labels(seed);
    PostedReceives posted;
    std::deque<PostedReceive*> list;
    std::vector<std::unique_ptr<PostedReceive>> all;
    for (int step = 0; step < 2000; ++step) {
      if (labels.pick(2) == 0) {
        all.push_back(std::make_unique<PostedReceive>(labels.pattern()));
        posted.post(*all.back());
        list.push_back(all.back().get());
      } else if (!list.empty() && labels.pick(5) == 0) {
        PostedReceive* const one = list[labels.pick(static_cast<std::uint32_t>(list.size()))];
        ASSERT_TRUE(posted.withdraw(*one));
        std::erase(list, one);
      } else {
        const Label message = labels.message();
        PostedReceive* const expected = first_that(
            list, [&](const PostedReceive* one) { return one->pattern().matches(message); });
        ASSERT_EQ(posted.match(message), expected);
        std::erase(list, expected);
      }
      ASSERT_EQ(posted.size(), list.size());
    }
  }
}

TEST(WaitingMessages, match_as_a_list_that_is_searched_from_its_begin) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomLabels labels(seed);
    WaitingMessages waiting;
    std::deque<WaitingMessage*> list;
    std::vector<std::unique_ptr<WaitingMessage>> all;
    for (int step = 0; step < 2000; ++step) {
      if (labels.pick(2) == 0) {
        all.push_back(std::make_unique<WaitingMessage>(labels.message()));
        waiting.add(*all.back());
        list.push_back(all.back().get());
      } else {
        const Label pattern = labels.pattern();
        WaitingMessage* const expected = first_that(
            list, [&](const WaitingMessage* one) { return pattern.matches(one->label()); });
        ASSERT_EQ(waiting.find(pattern), expected);
        if (expected == nullptr) continue;
        waiting.remove(*expected);
        std::erase(list, expected);
        if (labels.pick(4) != 0) continue;
        waiting.put_back(*expected);
        list.push_front(expected);
      }
      ASSERT_EQ(waiting.size(), list.size());
    }
  }
}

}  // namespace
}  // namespace armature::message
