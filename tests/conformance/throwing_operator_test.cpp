// An operator that throws at one member: nobody waits for that member, and the team is of use
// afterwards.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "armature/armature.hpp"
#include "armature/locality.hpp"
#include "conformance.hpp"

namespace {

using namespace conformance;
using Words = std::vector<std::int64_t>;

/// Between nodes long reductions are made of messages, which end the team's collectives.
bool are_on_one_node() {
  for (int rank = 1; rank < ranks(); ++rank)
    if (!armature::same_node(armature::Rank(0), armature::Rank(rank))) return false;
  return true;
}

constexpr int thrower = 1;

std::int64_t add(std::int64_t left, std::int64_t right) {
  if (me() == thrower) throw std::runtime_error("no sum");
  return left + right;
}

/// The member whose operator throws gets that. Others have their result or are told, whichever is
/// so by the way that the data go.
void expect_that_nobody_waits(Words& data, const std::function<void()>& reduce,
                              const Words& result) {
  try {
    reduce();
    // In a large team one member combines for all.
    if (ranks() <= 16) EXPECT_NE(me(), thrower);
    EXPECT_EQ(data, result);
  } catch (const armature::Error& error) {
    EXPECT_NE(me(), thrower);
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(armature::Errc::remote));
    EXPECT_NE(std::string(error.what()).find("operator"), std::string::npos) << error.what();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(me(), thrower);
    EXPECT_STREQ(error.what(), "no sum");
  }
  EXPECT_EQ(allreduce(world(), 1), ranks());
}

/// 512 KiB are exchanged; the others take rounds, one or many.
std::vector<std::size_t> lengths() {
  if (!are_on_one_node()) return {1, 300};
  return {1, 300, 5000, 20'000, 65'536};
}

TEST(ThrowingOperator, in_an_allreduce_makes_nobody_wait) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  for (const std::size_t count : lengths()) {
    Words data(count, 1);
    expect_that_nobody_waits(
        data, [&] { allreduce(world(), std::span(data), add); }, Words(count, ranks()));
  }
}

TEST(ThrowingOperator, in_a_scan_makes_nobody_wait) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  for (const std::size_t count : lengths()) {
    Words data(count, 1);
    expect_that_nobody_waits(
        data, [&] { scan(world(), std::span(data), add); }, Words(count, me() + 1));
  }
}

TEST(ThrowingOperator, at_the_root_of_a_reduce_makes_nobody_wait) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  for (const std::size_t count : lengths()) {
    Words data(count, 1);
    expect_that_nobody_waits(
        data, [&] { reduce(world(), std::span(data), thrower, add); }, Words(count, 1));
  }
}

}  // namespace
