#include <algorithm>
#include <span>
#include <vector>

#include "conformance.hpp"

// Collectives of data that members read where the others have them: in segments, in private memory,
// and in both. Blocks are such that a round would still move, and beyond what a window holds.

using namespace conformance;

namespace {

using armature::Team;
using ByteSpan = std::span<std::uint8_t>;
constexpr std::size_t mebi = 1 << 20;

/// Memory of the rank's segment, or private memory.
class Buffer {
 public:
  Buffer(std::size_t bytes, bool is_private) : is_private_(is_private), bytes_(bytes) {
    if (is_private)
      own_.resize(bytes);
    else
      shared_ = world().allocate_local<std::uint8_t>(bytes);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (!is_private_) world().free_local(shared_);
  }
  [[nodiscard]] ByteSpan all() {
    return is_private_ ? ByteSpan(own_) : ByteSpan(shared_.address(), bytes_);
  }

 private:
  bool is_private_;
  std::size_t bytes_;
  std::vector<std::uint8_t> own_;
  armature::global_ptr<std::uint8_t> shared_;
};

/// Byte `at` of the block that goes from one member to another.
std::uint8_t byte_of(int from, int to, std::size_t at) {
  return static_cast<std::uint8_t>(at + at / 251 + static_cast<std::size_t>(from * 31 + to));
}
void write(ByteSpan block, int from, int to) {
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = byte_of(from, to, i);
}
/// Looks at the first bytes, at the last ones, and at some of each cache line in between.
bool is_written(ByteSpan block, int from, int to) {
  const auto is_edge = [&](std::size_t i) { return i < 64 || i + 64 >= block.size(); };
  for (std::size_t i = 0; i < block.size(); i += is_edge(i) || is_edge(i + 29) ? 1 : 29)
    if (block[i] != byte_of(from, to, i)) return false;
  return true;
}
ByteSpan part(ByteSpan all, int number, std::size_t bytes) {
  return all.subspan(static_cast<std::size_t>(number) * bytes, bytes);
}

void exchange(const Team& team, std::size_t bytes, ByteSpan mine, ByteSpan all) {
  for (int to = 0; to < team.size(); ++to) write(part(mine, to, bytes), team.rank(), to);
  std::ranges::fill(all, 0xee);
  alltoall(team, std::span<const std::uint8_t>(mine), all);
  for (int from = 0; from < team.size(); ++from)
    ASSERT_TRUE(is_written(part(all, from, bytes), from, team.rank())) << bytes << " from " << from;
}

void collect(const Team& team, std::size_t bytes, ByteSpan mine, ByteSpan all, int root) {
  write(mine.first(bytes), team.rank(), 0);
  std::ranges::fill(all, 0xee);
  gather(team, std::span<const std::uint8_t>(mine.first(bytes)), all, root);
  if (team.rank() != root)
    ASSERT_EQ(std::ranges::count(all, 0xee), std::ssize(all));
  else
    for (int from = 0; from < team.size(); ++from)
      ASSERT_TRUE(is_written(part(all, from, bytes), from, 0)) << bytes << " from " << from;
  allgather(team, std::span<const std::uint8_t>(mine.first(bytes)), all);
  for (int from = 0; from < team.size(); ++from)
    ASSERT_TRUE(is_written(part(all, from, bytes), from, 0)) << bytes << " from " << from;
}

void distribute(const Team& team, std::size_t bytes, ByteSpan mine, ByteSpan all, int root) {
  for (int to = 0; to < team.size(); ++to) write(part(all, to, bytes), root, to);
  std::ranges::fill(mine, 0xee);
  scatter(team, std::span<const std::uint8_t>(all), mine.first(bytes), root);
  ASSERT_TRUE(is_written(mine.first(bytes), root, team.rank())) << bytes;
  std::ranges::fill(mine, 0xee);
  if (team.rank() == root) write(mine, root, root);
  broadcast(team, mine, root);
  ASSERT_TRUE(is_written(mine, root, root)) << mine.size();
}

void all_kinds(const Team& team, std::size_t bytes, bool from_private, bool to_private) {
  const std::size_t size = bytes * static_cast<std::size_t>(team.size());
  Buffer mine(size, from_private), all(size, to_private);
  exchange(team, bytes, mine.all(), all.all());
  collect(team, bytes, mine.all(), all.all(), team.size() - 1);
  distribute(team, bytes, mine.all(), all.all(), team.size() / 2);
}

}  // namespace

TEST(LongCollectives, memory_of_any_kind_may_be_mixed_among_members) {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, 5000, 32'769, 60'001})
    for (int mix = 0; mix < 4; ++mix) {
      const bool odd = me() % 2 == 1;
      all_kinds(world(), bytes, (mix & 1) != 0 || odd, (mix & 2) != 0 || !odd);
    }
}

TEST(LongCollectives, teams_in_another_order_read_the_right_members_data) {
  std::vector<armature::Rank> members;
  for (int rank = ranks() - 1; rank >= 0; rank -= 2) members.emplace_back(rank);
  if ((ranks() - 1 - me()) % 2 != 0) return;
  all_kinds(Team::create(members), 70'000, me() % 4 < 2, true);
}

TEST(LongCollectives, what_no_window_holds_goes_in_steps) {
  // The windows of all members have 32 MiB together, at most 16 each.
  const std::size_t all =
      std::min<std::size_t>(34 * mebi / static_cast<std::size_t>(ranks()), 17 * mebi);
  all_kinds(world(), all / static_cast<std::size_t>(ranks()) + 3, true, true);
  if (ranks() > 4) return;
  Buffer data(35 * mebi + 1, true);
  if (me() == 0) write(data.all(), 0, 0);
  broadcast(world(), data.all(), 0);
  EXPECT_TRUE(is_written(data.all(), 0, 0));
}

TEST(LongCollectives, an_alltoall_may_take_place_in_one_buffer) {
  for (const bool is_private : {false, true})
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{40'000}, 2 * mebi / 3}) {
      Buffer data(bytes * static_cast<std::size_t>(ranks()), is_private);
      for (int to = 0; to < ranks(); ++to) write(part(data.all(), to, bytes), me(), to);
      alltoall(world(), std::span<const std::uint8_t>(data.all()), data.all());
      for (int from = 0; from < ranks(); ++from)
        ASSERT_TRUE(is_written(part(data.all(), from, bytes), from, me())) << bytes;
    }
}

/// A member whose call returns may write to its buffers at once.
TEST(LongCollectives, only_some_members_may_have_one_buffer_for_both) {
  const Team& team = world();
  if (team.size() > 4) return;  // memory
  const std::size_t bytes = 64 * mebi / static_cast<std::size_t>(team.size()) * 2 / 3 + 5;
  const std::size_t whole = bytes * static_cast<std::size_t>(team.size());
  Buffer mine(whole, false), other(whole, false);
  for (int to = 0; to < team.size(); ++to) write(part(mine.all(), to, bytes), team.rank(), to);
  const ByteSpan all = team.rank() == 0 ? mine.all() : other.all();
  alltoall(team, std::span<const std::uint8_t>(mine.all()), all);
  for (int from = 0; from < team.size(); ++from)
    EXPECT_TRUE(is_written(part(all, from, bytes), from, team.rank())) << " from " << from;
}

TEST(LongCollectives, buffers_may_overlap_in_another_place) {
  const Team& team = world();
  constexpr std::size_t bytes = mebi / 2;
  const std::size_t whole = bytes * static_cast<std::size_t>(team.size());
  const int last = team.size() - 1;
  for (const bool is_private : {false, true}) {
    // The root of a scatter receives where the block of another one lies.
    Buffer buffer(whole, is_private), other(bytes, is_private);
    for (int to = 0; to < team.size(); ++to) write(part(buffer.all(), to, bytes), last, to);
    const ByteSpan got = team.rank() == last ? part(buffer.all(), 0, bytes) : other.all();
    scatter(team, std::span<const std::uint8_t>(buffer.all()), got, last);
    EXPECT_TRUE(is_written(got, last, team.rank()));
    // The root of a gather gives what lies where another one's block arrives.
    const ByteSpan given = team.rank() == last ? part(buffer.all(), 0, bytes) : other.all();
    write(given, team.rank(), 0);
    gather(team, std::span<const std::uint8_t>(given), buffer.all(), last);
    for (int from = 0; team.rank() == last && from < team.size(); ++from)
      EXPECT_TRUE(is_written(part(buffer.all(), from, bytes), from, 0)) << " from " << from;
  }
}

TEST(LongCollectives, buffers_may_be_used_again_at_once) {
  constexpr std::size_t words = 20'000;
  const auto n = static_cast<std::size_t>(ranks());
  const auto mine = world().allocate_local<std::int64_t>(words * n);
  const std::span<std::int64_t> from(mine.address(), words * n);
  std::vector<std::int64_t> to(words * n);
  for (int round = 0; round < often(20); ++round) {
    std::ranges::fill(from, me() + round);
    alltoall(world(), std::span<const std::int64_t>(from), std::span(to));
    std::ranges::fill(from, round);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(to[i * words + i], static_cast<std::int64_t>(i) + round);
    broadcast(world(), from, round % ranks());
    ASSERT_EQ(std::ranges::count(from, round), std::ssize(from));
  }
  world().free_local(mine);
}

TEST(LongCollectives, a_member_may_show_what_lies_in_another_s_segment) {
  constexpr std::size_t words = 50'000;
  if (!armature::same_node(0, ranks() - 1)) return;
  auto piece = world().allocate<std::int64_t>(words);
  std::ranges::fill(piece.local(), me());
  world().barrier();
  std::vector<std::int64_t> all(words * static_cast<std::size_t>(ranks()));
  allgather(world(), std::span<const std::int64_t>(piece.on(right()).direct(), words),
            std::span(all));
  for (int from = 0; from < ranks(); ++from)
    EXPECT_EQ(all[static_cast<std::size_t>(from) * words + 7], (from + 1) % ranks());
  world().free(piece);
}
