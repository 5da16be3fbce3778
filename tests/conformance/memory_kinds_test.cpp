// Transfers of every shape to and from memory of every kind: what a segment holds, what a rank
// exposes beside it, and what only routines touch.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>

#include <armature/expose.hpp>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;
using armature::global_ptr;

namespace {

constexpr std::size_t memory_bytes = std::size_t{48} * 1024;

/// A kind whose bytes make no sense to who reads or writes them by himself.
class Scrambled final : public armature::MemoryKind {
 public:
  void write(void* to, const void* from, std::size_t bytes) const noexcept override {
    scramble(to, from, bytes);
  }
  void read(void* to, const void* from, std::size_t bytes) const noexcept override {
    scramble(to, from, bytes);
  }

 private:
  static void scramble(void* to_start, const void* from_start, std::size_t bytes) {
    auto* to = static_cast<std::uint8_t*>(to_start);
    const auto* from = static_cast<const std::uint8_t*>(from_start);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i] ^ 0xa5;
  }
};
const Scrambled scrambled;

struct InSegment {};
struct OnStack {};
struct ByRoutine {};

/// 48 KiB of every rank, all zeros, which others reach. Made and ended by all ranks together.
template <class Kind>
class Memory {
 public:
  Memory() {
    pointers_ = world().template allocate<global_ptr<std::byte>>(static_cast<std::size_t>(ranks()));
    if constexpr (std::is_same_v<Kind, InSegment>) {
      piece_ = world().template allocate<std::byte>(memory_bytes);
      mine_ = piece_.on(me());
    } else {
      const std::array<std::byte, memory_bytes> zeros{};
      write(zeros);
      exposed_ = std::is_same_v<Kind, ByRoutine> ? armature::expose(std::span(stack_), scrambled)
                                                 : armature::expose(std::span(stack_));
      mine_ = exposed_.pointer();
    }
    for (int rank = 0; rank < ranks(); ++rank) armature::put(pointers_.on(rank) + me(), mine_);
    armature::fence_all();
    world().barrier();
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Called by all ranks, when none of them uses it any more.
  void end() {
    armature::fence_all();
    world().barrier();
    exposed_.conceal();
    if constexpr (std::is_same_v<Kind, InSegment>) world().free(piece_);
    world().free(pointers_);
  }

  template <class T>
  [[nodiscard]] global_ptr<T> on(int rank, std::size_t place = 0) const {
    const auto base = static_cast<global_ptr<std::byte>>(pointers_[static_cast<std::size_t>(rank)]);
    return base.template cast<T>() + static_cast<std::ptrdiff_t>(place);
  }
  /// All of it, as the program sees it.
  template <class T>
  [[nodiscard]] std::vector<T> seen() const {
    std::vector<T> all(memory_bytes / sizeof(T));
    watch([&] {
      if constexpr (std::is_same_v<Kind, ByRoutine>)
        scrambled.read(all.data(), mine_.address(), memory_bytes);
      else
        std::memcpy(all.data(), mine_.address(), memory_bytes);
      return 0;
    });
    return all;
  }
  void settle() const {
    armature::fence_all();
    world().barrier();
  }

 private:
  void write(std::span<const std::byte> from) {
    if constexpr (std::is_same_v<Kind, ByRoutine>)
      scrambled.write(stack_.data(), from.data(), from.size());
    else
      std::memcpy(stack_.data(), from.data(), from.size());
  }

  alignas(64) std::array<std::byte, memory_bytes> stack_;
  armature::Piece<std::byte> piece_;
  armature::Piece<global_ptr<std::byte>> pointers_;
  armature::Exposed<std::byte> exposed_;
  global_ptr<std::byte> mine_;
};

template <class Kind>
class MemoryKinds : public testing::Test {};
using Kinds = testing::Types<InSegment, OnStack, ByRoutine>;
TYPED_TEST_SUITE(MemoryKinds, Kinds);

}  // namespace

RANKS_TYPED_TEST(MemoryKinds, bytes_of_every_length_arrive) {
  Memory<TypeParam> memory;
  for (const std::size_t bytes : {1, 2, 3, 4, 7, 8, 9, 16, 63, 64, 65, 1000, 8191, 8193, 40000}) {
    for (const std::size_t at : {0, 1, 64}) {
      const auto sent = patterned(bytes, bytes + static_cast<std::size_t>(me()));
      armature::put(memory.template on<std::uint8_t>(right(), at), sent);
      memory.settle();
      const auto seen = memory.template seen<std::uint8_t>();
      const auto expected = patterned(bytes, bytes + static_cast<std::size_t>(left()));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                             seen.begin() + static_cast<std::ptrdiff_t>(at)))
          << bytes << " at " << at;
      std::vector<std::uint8_t> got(bytes);
      armature::get(got.data(), memory.template on<std::uint8_t>(right(), at), bytes);
      EXPECT_EQ(got, sent) << bytes << " at " << at;
      world().barrier();
    }
  }
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, values_arrive_whole) {
  Memory<TypeParam> memory;
  armature::put(memory.template on<std::int64_t>(right(), 3), -5 - me());
  armature::put(memory.template on<double>(right(), 4), 0.5 + me());
  EXPECT_EQ(armature::get(memory.template on<std::int64_t>(right(), 3)), -5 - me());
  EXPECT_EQ(armature::get(memory.template on<double>(right(), 4)), 0.5 + me());
  memory.settle();
  const auto seen = memory.template seen<std::int64_t>();
  EXPECT_EQ(seen[2], 0);
  EXPECT_EQ(seen[3], -5 - left());
  EXPECT_EQ(seen[5], 0);
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, sections_touch_no_more_than_their_rows) {
  Memory<TypeParam> memory;
  // 5 planes of 6 rows of 12 bytes; and the same of 700 bytes.
  for (const std::size_t row : {12, 700}) {
    const std::array<std::size_t, 3> counts{row, 6, 5};
    const auto there = static_cast<std::ptrdiff_t>(row + 4);
    const auto here = static_cast<std::ptrdiff_t>(row);
    const std::array<std::ptrdiff_t, 2> far_strides{there, 7 * there}, strides{here, 6 * here};
    const auto sent = patterned(row * 30, row + static_cast<std::size_t>(me()));
    armature::put_strided(memory.template on<std::byte>(right()), sent.data(),
                          {counts, far_strides, strides});
    std::vector<std::uint8_t> got(sent.size());
    armature::get_strided(got.data(), memory.template on<std::byte>(right()),
                          {counts, strides, far_strides});
    EXPECT_EQ(got, sent);
    memory.settle();
    const auto seen = memory.template seen<std::uint8_t>();
    const auto expected = patterned(row * 30, row + static_cast<std::size_t>(left()));
    for (std::size_t i = 0; i < 30; ++i) {
      const std::size_t at = (i / 6 * 7 + i % 6) * (row + 4);
      EXPECT_EQ(std::memcmp(&seen[at], &expected[i * row], row), 0) << i;
      if (row == 12) EXPECT_EQ(seen[at + row], 0) << i;
    }
    world().barrier();
  }
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, patches_and_lists_arrive) {
  Memory<TypeParam> memory;
  std::vector<std::int32_t> sent(300);
  std::iota(sent.begin(), sent.end(), 1000 * me());
  armature::put_patch(memory.template on<std::int32_t>(right()), sent.data(), {4, 100, 12, 4});
  std::vector<void*> to;
  std::vector<const void*> from;
  for (std::size_t i = 0; i < 100; ++i) {
    to.push_back(memory.template on<std::int32_t>(right(), 1000 + i * i % 97 * 3).address());
    from.push_back(&sent[200 + i]);
  }
  to.resize(97), from.resize(97);
  const armature::Iov pieces{to, from, sizeof(std::int32_t)};
  armature::put_vector(right(), {&pieces, 1});
  std::vector<std::int32_t> got(97);
  std::vector<void*> into;
  std::vector<const void*> there;
  for (std::size_t i = 0; i < 97; ++i) {
    into.push_back(&got[i]);
    there.push_back(memory.template on<std::int32_t>(right(), 3 * i).address());
  }
  const armature::Iov back{into, there, sizeof(std::int32_t)};
  armature::get_vector(right(), {&back, 1});
  EXPECT_TRUE(std::equal(got.begin(), got.end(), sent.begin()));
  memory.settle();
  const auto seen = memory.template seen<std::int32_t>();
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(seen[3 * i], 1000 * left() + static_cast<int>(i)) << i;
  for (std::size_t place = 0; place < 97; ++place) {
    std::size_t last = SIZE_MAX;
    for (std::size_t i = 0; i < 97; ++i)
      if (i * i % 97 == place) last = i;
    // Pieces of one list come in no order.
    if (last == SIZE_MAX) EXPECT_EQ(seen[1000 + 3 * place], 0) << place;
    if (last != SIZE_MAX) EXPECT_GE(seen[1000 + 3 * place], 1000 * left() + 200) << place;
  }
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, no_update_is_lost) {
  Memory<TypeParam> memory;
  const int times = often(200);
  const auto count = memory.template on<std::int64_t>(0);
  const auto small = memory.template on<std::uint32_t>(0, 2);
  std::vector<double> ones(3000, 1.0);
  for (int i = 0; i < times; ++i) {
    (void)armature::fetch_add(count, 1);
    (void)armature::fetch_add(small, 2U);
    if (i % 20 == 0)
      armature::accumulate(memory.template on<double>(0, 8), ones.data(), ones.size(),
                           {.scale = 2.0});
  }
  memory.settle();
  if (me() == 0) {
    EXPECT_EQ(memory.template seen<std::int64_t>()[0], std::int64_t{times} * ranks());
    EXPECT_EQ(memory.template seen<std::uint32_t>()[2],
              2U * static_cast<unsigned>(times * ranks()));
    const auto sums = memory.template seen<double>();
    const int added = (times + 19) / 20;
    EXPECT_TRUE(std::all_of(sums.begin() + 8, sums.begin() + 3008,
                            [&](double sum) { return sum == 2.0 * added * ranks(); }));
    EXPECT_EQ(sums[3008], 0.0);
  }
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, atomics_find_what_was_there) {
  Memory<TypeParam> memory;
  const auto place = memory.template on<std::uint64_t>(right(), 9);
  EXPECT_EQ(armature::fetch_add(place, 5U), 0U);
  EXPECT_EQ(armature::swap(place, 0xf0U), 5U);
  EXPECT_EQ(armature::fetch_or(place, 0x0fU), 0xf0U);
  EXPECT_EQ(armature::fetch_and(place, 0x3cU), 0xffU);
  EXPECT_EQ(armature::fetch_xor(place, 0xffU), 0x3cU);
  EXPECT_EQ(armature::compare_swap(place, 1U, 7U), 0xc3U);
  EXPECT_EQ(armature::compare_swap(place, 0xc3U, 7U), 0xc3U);
  EXPECT_EQ(armature::fetch_add_async(place, 1U).get(), 7U);
  EXPECT_EQ(armature::get(place), 8U);
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, accumulates_of_every_shape_add) {
  Memory<TypeParam> memory;
  const std::array<std::int32_t, 6> ones{1, 2, 3, 4, 5, 6};
  armature::accumulate(memory.template on<std::int32_t>(right()), ones.data(), 6);
  constexpr std::ptrdiff_t four = 4;
  const std::array<std::size_t, 2> counts{8, 3};
  const std::array<std::ptrdiff_t, 1> there{16}, here{2 * four};
  armature::accumulate_strided(memory.template on<std::int32_t>(right()), ones.data(),
                               {counts, there, here}, {.scale = 10});
  std::vector<void*> to{memory.template on<std::int32_t>(right(), 1).address(),
                        memory.template on<std::int32_t>(right(), 50).address()};
  std::vector<const void*> from{&ones[2], &ones[3]};
  const armature::Iov pieces{to, from, sizeof(std::int32_t)};
  armature::accumulate_vector<std::int32_t>(right(), {&pieces, 1}, {.scale = 100});
  memory.settle();
  const auto seen = memory.template seen<std::int32_t>();
  const std::array<std::int32_t, 10> expected{11, 322, 3, 4, 35, 46, 0, 0, 50, 60};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), seen.begin()));
  EXPECT_EQ(seen[50], 400);
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, what_does_not_block_is_complete_when_waited_for) {
  Memory<TypeParam> memory;
  const auto sent = patterned(20000, static_cast<std::size_t>(me()));
  auto put = armature::put_async(memory.template on<std::uint8_t>(right(), 64), sent);
  armature::put_nbi(memory.template on<std::uint8_t>(right()), sent.data(), std::size_t{32});
  put.wait();
  armature::wait_all();
  armature::fence(right());
  std::vector<std::uint8_t> got(20000), head(32);
  auto get = armature::get_async(got.data(), memory.template on<std::uint8_t>(right(), 64), 20000);
  armature::get_nbi(head.data(), memory.template on<std::uint8_t>(right()), 32);
  get.wait();
  armature::wait_all();
  EXPECT_EQ(got, sent);
  EXPECT_TRUE(std::equal(head.begin(), head.end(), sent.begin()));
  memory.end();
}

RANKS_TYPED_TEST(MemoryKinds, what_lies_beyond_is_refused_and_nothing_moves) {
  Memory<TypeParam> memory;
  if constexpr (!std::is_same_v<TypeParam, InSegment>) {
    const std::array<std::byte, 64> bytes{};
    expect_error(Errc::bad_address, {"put"}, [&] {
      armature::put(memory.template on<std::byte>(right(), memory_bytes - 32), bytes);
    });
    expect_error(Errc::bad_address, {"fetch_add"}, [&] {
      (void)armature::fetch_add(memory.template on<std::uint64_t>(right(), memory_bytes / 8), 1U);
    });
    expect_error(Errc::bad_address, {"fetch_add", "multiple"}, [&] {
      (void)armature::fetch_add(
          memory.template on<std::byte>(right(), 4).template cast<std::uint64_t>(), 1U);
    });
    world().barrier();
    const auto seen = memory.template seen<std::byte>();
    EXPECT_TRUE(std::ranges::all_of(seen, [](std::byte b) { return b == std::byte{}; }));
  }
  memory.end();
}
