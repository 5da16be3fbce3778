// Memory that a rank of another node exposes, whose process is the test: questions are counted.
#include "rma/known_exposures.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "harness/two_nodes.hpp"
#include "rma/remote.hpp"
#include "rma/remote_records.hpp"

namespace armature::rma {
namespace {

constexpr std::uint64_t one_begin = 0x10000, other_begin = 0x90000, exposed_bytes = 0x1000;

class KnownExposuresTest : public testing::Test {
 protected:
  KnownExposuresTest() {
    net_.mapping().header().settings.check_full = 0;
    net_.peer.on_record = [this](const harness::Peer::Seen& seen) {
      if (!seen.is(Kind::check)) return;
      const auto asked = seen.head<CheckRecord>();
      CheckedRecord checked{.request = asked.request};
      for (const std::uint64_t begin : {one_begin, other_begin})
        if (asked.address >= begin && asked.address - begin < exposed_bytes)
          checked.begin = begin, checked.bytes = exposed_bytes;
      if (checked.bytes == 0) checked.code = static_cast<std::uint32_t>(Errc::bad_address) + 1;
      net_.peer.say(Kind::checked, 1, checked);
    };
  }
  ~KnownExposuresTest() override { forget_known_exposures(); }

  static net::NetworkOptions options() {
    net::NetworkOptions options = harness::TwoNodes::with(service);
    options.serves = false;
    return options;
  }
  std::size_t questions() { return net_.peer.seen(Kind::check).size(); }
  /// Pieces of the one, behind the first of the other.
  static std::vector<const void*> pieces(std::size_t count) {
    std::vector<const void*> all{reinterpret_cast<const void*>(other_begin)};
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(reinterpret_cast<const void*>(one_begin + 8 * i));
    return all;
  }

  harness::TwoNodes net_{options()};
};

TEST_F(KnownExposuresTest, pieces_of_known_ones_need_no_question) {
  const auto all = pieces(100);
  EXPECT_EQ(require_each(Rank(1), all, 8, "put_vector").is, Memory::Is::host);
  const std::size_t before = questions();
  EXPECT_EQ(before, 64U);  // the others are in what the first have said
  const Memory again = require_each(Rank(1), all, 8, "put_vector");
  EXPECT_EQ(again.is, Memory::Is::host);
  EXPECT_TRUE(again.is_remote);
  EXPECT_EQ(questions(), before);
}

TEST_F(KnownExposuresTest, with_check_each_piece_is_asked_about_each_time) {
  net_.mapping().header().settings.check_full = 1;
  const auto all = pieces(100);
  for (std::size_t time = 1; time <= 2; ++time) {
    EXPECT_EQ(require_each(Rank(1), all, 8, "put_vector").is, Memory::Is::host);
    EXPECT_EQ(questions(), time * all.size());
  }
}

TEST_F(KnownExposuresTest, a_bad_piece_among_many_is_an_error) {
  auto all = pieces(100);
  all[70] = reinterpret_cast<const void*>(std::uintptr_t{0x50000});
  EXPECT_THROW(require_each(Rank(1), all, 8, "put_vector"), Error);
  all[70] = all[69];
  EXPECT_TRUE(require_each(Rank(1), all, 8, "put_vector").is_remote);
}

}  // namespace
}  // namespace armature::rma
