#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "../conformance/conformance.hpp"

// Allocations and transfers over 4 GiB: every count that is 32 bits somewhere shows here. One rank
// has a piece of 5 GiB, which is the memory this needs; the local buffers are a few MiB, mapped
// again and again side by side.

using namespace conformance;
using armature::Strided;

namespace {

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::size_t piece_bytes = 5 * gib;
constexpr std::size_t bytes = 4 * gib + 12345;  // of a transfer
constexpr std::size_t tile = 4 << 20;

/// `size` bytes of addresses that are all the same tile of memory.
class Tiled {
 public:
  explicit Tiled(std::size_t size) : size_((size + tile - 1) / tile * tile) {
    const int file = memfd_create("tile", 0);
    if (file < 0 || ftruncate(file, tile) != 0) throw std::runtime_error("no memory file");
    auto* const start =
        mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) throw std::runtime_error("no addresses");
    start_ = static_cast<std::uint8_t*>(start);
    for (std::size_t at = 0; at < size_; at += tile) {
      if (mmap(start_ + at, tile, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED)
        throw std::runtime_error("no mapping");
    }
    close(file);
  }
  Tiled(const Tiled&) = delete;
  ~Tiled() { munmap(start_, size_); }
  std::uint8_t* data() { return start_; }

 private:
  std::size_t size_;
  std::uint8_t* start_;
};

std::size_t available() {
  std::ifstream meminfo("/proc/meminfo");
  std::string line;
  while (std::getline(meminfo, line)) {
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
  }
  return 0;
}

/// The last rank's piece is large; rank 0 transfers. One piece for all tests: it is slow to have.
class Large : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::size_t least = world().broadcast(available(), 0);
    if (least < piece_bytes + gib) return;
    piece_ = world().allocate<std::uint8_t>(me() == owner() ? piece_bytes : 0);
  }
  static void TearDownTestSuite() {
    if (piece_) world().free(piece_);
  }
  void SetUp() override {
    if (!piece_) GTEST_SKIP() << "needs 6 GiB of free memory";
  }
  void TearDown() override { world().barrier(); }

  static int owner() { return ranks() - 1; }
  static auto at(std::size_t offset) {
    return piece_.on(owner()) + static_cast<std::ptrdiff_t>(offset);
  }
  static std::uint8_t* there(std::size_t offset) { return at(offset).direct(); }

  static armature::Piece<std::uint8_t> piece_;
};

armature::Piece<std::uint8_t> Large::piece_;

}  // namespace

TEST_F(Large, a_piece_over_4_gib_has_all_its_bytes) {
  EXPECT_EQ(piece_.size(owner()), piece_bytes);
  if (me() == 0) {
    for (const std::size_t place : {std::size_t{0}, 4 * gib - 1, 4 * gib, piece_bytes - 1}) {
      armature::put(at(place), static_cast<std::uint8_t>(place / gib + 1));
      EXPECT_EQ(armature::get(at(place)), static_cast<std::uint8_t>(place / gib + 1));
    }
    EXPECT_EQ(armature::get(at(4096)), 0);  // not the one 4 GiB further on
    EXPECT_TRUE(caught([] { armature::put(at(piece_bytes + 64 * gib), std::uint8_t{1}); }));
  }
}

TEST_F(Large, put_moves_more_than_4_gib) {
  if (me() != 0) return;
  Tiled source(bytes);
  for (std::size_t i = 0; i < tile; ++i) source.data()[i] = pattern(i, 1);
  armature::put(at(100), source.data(), bytes);
  armature::fence(owner());
  for (std::size_t start = 0; start < bytes; start += tile)
    ASSERT_EQ(std::memcmp(there(100 + start), source.data(), std::min(tile, bytes - start)), 0)
        << start;
  EXPECT_EQ(*there(100 + bytes), 0);
}

TEST_F(Large, get_moves_more_than_4_gib) {
  if (me() != 0) return;
  Tiled into(bytes);
  const std::size_t last = 4 * gib;  // what lies there is what stays in the tile
  std::memset(there(100 + last - tile), 1, tile);
  std::memset(there(100 + last), 2, bytes - last);
  armature::get(into.data(), at(100), bytes);
  EXPECT_EQ(into.data()[0], 2);
  EXPECT_EQ(into.data()[bytes - last - 1], 2);
  EXPECT_EQ(into.data()[bytes - last], 1);
  EXPECT_EQ(into.data()[tile - 1], 1);
}

TEST_F(Large, strided_moves_more_than_4_gib_altogether) {
  if (me() != 0) return;
  constexpr std::size_t row = 64 * 1024, rows = 4 * gib / row + 3;
  std::vector<std::uint8_t> source(row);
  for (std::size_t i = 0; i < row; ++i) source[i] = pattern(i, 2);
  const std::size_t counts[] = {row, rows};
  const std::ptrdiff_t to_strides[] = {row};
  const std::ptrdiff_t from_strides[] = {0};
  armature::put_strided(at(0), source.data(),
                        {.counts = counts, .to_strides = to_strides, .from_strides = from_strides});
  for (std::size_t i = 0; i < rows; ++i)
    ASSERT_EQ(std::memcmp(there(i * row), source.data(), row), 0) << i;
}

TEST_F(Large, strides_may_be_over_4_gib) {
  if (me() != 0) return;
  const std::uint64_t source[2] = {11, 22};
  const std::size_t counts[] = {8, 2};
  const std::ptrdiff_t far[] = {4 * gib + 4096};
  const std::ptrdiff_t near[] = {8};
  const std::ptrdiff_t back[] = {-static_cast<std::ptrdiff_t>(4 * gib + 4096)};
  armature::put_strided(at(64), source,
                        {.counts = counts, .to_strides = far, .from_strides = near});
  std::uint64_t into[2] = {};
  armature::get_strided(into, at(64 + 4 * gib + 4096),
                        {.counts = counts, .to_strides = near, .from_strides = back});
  EXPECT_EQ(into[0], 22U);
  EXPECT_EQ(into[1], 11U);
  std::uint64_t close = 0;
  std::memcpy(&close, there(64 + 4096), 8);
  EXPECT_NE(close, 22U);
}

TEST_F(Large, vectors_reach_over_4_gib) {
  if (me() != 0) return;
  const std::uint64_t source[2] = {33, 44};
  void* to[] = {there(128), there(4 * gib + 8192)};
  const void* from[] = {source, source + 1};
  const armature::Segments segments[] = {{.to = to, .from = from, .bytes = 8}};
  armature::put_vector(owner(), segments);
  EXPECT_EQ(armature::get(at(4 * gib + 8192).cast<std::uint64_t>()), 44U);
}

TEST_F(Large, accumulate_updates_more_than_4_gib) {
  if (me() == owner()) std::memset(piece_.local().data(), 0, piece_bytes);
  world().barrier();
  if (me() != 0) return;
  constexpr std::size_t n = bytes / sizeof(double);
  Tiled source(bytes);
  for (std::size_t i = 0; i < tile / sizeof(double); ++i)
    reinterpret_cast<double*>(source.data())[i] = static_cast<double>(i % 1000);
  const auto to = at(64).cast<double>();
  armature::accumulate(to, reinterpret_cast<const double*>(source.data()), n, {.scale = 2.0});
  for (std::size_t i = 0; i < n; i += 997)
    ASSERT_EQ(to.direct()[i], 2.0 * static_cast<double>(i % (tile / sizeof(double)) % 1000)) << i;
  EXPECT_EQ(to.direct()[n - 1],
            2.0 * static_cast<double>((n - 1) % (tile / sizeof(double)) % 1000));
  EXPECT_EQ(to.direct()[n], 0);
}

TEST_F(Large, collectives_move_more_than_4_gib) {
  Tiled data(bytes);
  if (me() == 0) data.data()[tile - 1] = 77;
  world().broadcast(std::span(data.data(), bytes), 0);
  EXPECT_EQ(data.data()[tile - 1], 77);
}
