#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/iov.hpp"
#include "armature/run.hpp"

// Lists whose addresses lie evenly take a way of their own; here it is compared with what must come
// out.

namespace armature {
namespace {

constexpr std::size_t elements = 4096;

class VectorTest : public ::testing::Test {
 protected:
  VectorTest() : remote_(init().allocate_local<std::int64_t>(elements)), local_(elements, -1) {
    for (std::size_t i = 0; i < elements; ++i) at(i) = static_cast<std::int64_t>(i);
  }
  ~VectorTest() override { world().free_local(remote_); }

  std::int64_t& at(std::size_t i) { return remote_.address()[i]; }

  /// Element from(i) of the remote array to element to(i) of the local one.
  template <class To, class From>
  void list(std::size_t count, To to, From from) {
    for (std::size_t i = 0; i < count; ++i) {
      to_.push_back(&local_[to(i)]);
      from_.push_back(&at(from(i)));
    }
  }
  void gather(std::size_t bytes = sizeof(std::int64_t)) {
    const Iov iov{.to = to_, .from = from_, .bytes = bytes};
    get_vector(0, {&iov, 1});
  }

  global_ptr<std::int64_t> remote_;
  std::vector<std::int64_t> local_;
  std::vector<void*> to_;
  std::vector<const void*> from_;
};

TEST_F(VectorTest, every_third_element_arrives) {
  for (const std::size_t count : {15, 16, 17, 32, 33, 34, 1000, 1001, 1002, 1003}) {
    to_.clear(), from_.clear();
    std::fill(local_.begin(), local_.end(), -1);
    list(
        count, [](std::size_t i) { return i; }, [](std::size_t i) { return 3 * i; });
    gather();
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(local_[i], static_cast<std::int64_t>(3 * i)) << count;
    ASSERT_EQ(local_[count], -1) << count;
  }
}

TEST_F(VectorTest, a_list_that_runs_backwards_arrives) {
  list(
      500, [](std::size_t i) { return 2 * i; }, [](std::size_t i) { return 4000 - 5 * i; });
  gather();
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_EQ(local_[2 * i], static_cast<std::int64_t>(4000 - 5 * i));
    ASSERT_EQ(local_[2 * i + 1], -1);
  }
}

TEST_F(VectorTest, a_list_that_is_even_but_for_one_address_arrives) {
  for (std::size_t odd = 0; odd < 100; ++odd) {
    to_.clear(), from_.clear();
    list(
        100, [](std::size_t i) { return i; },
        [=](std::size_t i) { return i == odd ? elements - 1 : 2 * i; });
    gather();
    for (std::size_t i = 0; i < 100; ++i)
      ASSERT_EQ(local_[i], static_cast<std::int64_t>(i == odd ? elements - 1 : 2 * i)) << odd;
  }
}

TEST_F(VectorTest, one_source_may_go_to_many_targets) {
  list(
      100, [](std::size_t i) { return i; }, [](std::size_t) { return 7; });
  gather();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(local_[i], 7);
}

TEST_F(VectorTest, an_even_scatter_arrives) {
  for (std::size_t i = 0; i < 100; ++i) {
    local_[i] = static_cast<std::int64_t>(1000 + i);
    to_.push_back(&at(3 * i));
    from_.push_back(&local_[i]);
  }
  const Iov iov{.to = to_, .from = from_, .bytes = sizeof(std::int64_t)};
  put_vector(0, {&iov, 1});
  for (std::size_t i = 0; i < 300; ++i)
    ASSERT_EQ(at(i), static_cast<std::int64_t>(i % 3 == 0 ? 1000 + i / 3 : i));
}

TEST_F(VectorTest, an_even_list_that_leaves_the_allocation_is_an_error_and_moves_nothing) {
  list(
      100, [](std::size_t i) { return i; }, [](std::size_t i) { return i; });
  constexpr std::uintptr_t far = std::uintptr_t{1} << 40;
  for (std::size_t i = 0; i < 100; ++i)
    from_[i] = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&at(0)) + i * far);
  EXPECT_THROW(gather(), Error);
  EXPECT_EQ(local_[0], -1);
}

TEST_F(VectorTest, an_even_list_around_the_whole_address_space_is_an_error) {
  list(
      33, [](std::size_t i) { return i; }, [](std::size_t) { return 0; });
  constexpr std::uintptr_t half = std::uintptr_t{1} << 63;
  for (std::size_t i = 1; i < 33; i += 2)
    from_[i] = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&at(0)) + half);
  EXPECT_THROW(gather(), Error);
  EXPECT_EQ(local_[0], -1);
}

}  // namespace
}  // namespace armature
