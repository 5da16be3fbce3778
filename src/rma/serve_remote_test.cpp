// Records that come by the network: those that are for no rank of this process, and a get whose
// rows overlap.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/expose.hpp"
#include "harness/two_nodes.hpp"
#include "rma/remote.hpp"
#include "rma/remote_records.hpp"
#include "space/exposures.hpp"
#include "transport/service.hpp"

namespace armature::rma {
namespace {

class ServeRemoteTest : public testing::Test {
 protected:
  /// Whether a record with that body, for that rank, is an error of who has sent it.
  [[nodiscard]] static bool is_refused(Kind kind, int to, std::span<const std::byte> body) {
    const transport::Record record{
        .bytes = static_cast<std::uint32_t>(sizeof record + body.size()), .from = 1, .to = to};
    for (const transport::Handling& handling : remote_handlers)
      if (handling.kind == transport::number_of(kind)) try {
          handling.handler({harness::Peer::process, record, body, {}});
        } catch (const Error& error) {
          return error.code() == Errc::corrupt;
        }
    return false;
  }

  harness::TwoNodes net_{harness::TwoNodes::with(service)};
};

TEST_F(ServeRemoteTest, who_writes_nothing_to_a_rank_that_is_not_here_is_refused) {
  const std::array<std::byte, 128> nothing{};
  for (const int to : {-8, -1, 1, 2, 1 << 30}) {
    const auto body = std::span<const std::byte>(nothing);
    EXPECT_TRUE(is_refused(Kind::put, to, body.first(sizeof(PutRecord)))) << to;
    EXPECT_TRUE(is_refused(Kind::write, to, body.first(sizeof(WriteRecord)))) << to;
    PiecesRecord none{};
    for (const std::uint32_t element : {std::uint32_t{0}, no_element}) {
      none.element = element;
      EXPECT_TRUE(is_refused(Kind::pieces, to, std::as_bytes(std::span(&none, 1)))) << to;
      const struct {
        PiecesRecord record;
        std::uint64_t address;
      } one_empty{{.count = 1, .element = element}, 0};
      EXPECT_TRUE(is_refused(Kind::pieces, to, std::as_bytes(std::span(&one_empty, 1)))) << to;
    }
  }
}

/// Memory that only routines touch. Counts what they have read.
class CountingKind : public MemoryKind {
 public:
  void write(void* to, const void* from, std::size_t bytes) const noexcept override {
    std::memcpy(to, from, bytes);
  }
  void read(void* to, const void* from, std::size_t bytes) const noexcept override {
    read_bytes += bytes;
    std::memcpy(to, from, bytes);
  }
  mutable std::atomic<std::size_t> read_bytes = 0;
};

/// Rank 0 exposes memory of that kind.
class RoutineTest : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 64;
  RoutineTest() {
    for (std::size_t i = 0; i < bytes; ++i) memory_[i] = static_cast<std::byte>(i);
    EXPECT_TRUE(exposed_.add(
        {.begin = address(0),
         .bytes = bytes,
         .kind = reinterpret_cast<std::uint64_t>(static_cast<const MemoryKind*>(&kind_)),
         .file = {}}));
    net_.space().head(0).exposures = reinterpret_cast<std::uint64_t>(&exposed_);
  }
  ~RoutineTest() override { net_.space().head(0).exposures = 0; }
  [[nodiscard]] std::uint64_t address(std::size_t place) const {
    return reinterpret_cast<std::uint64_t>(memory_.data() + place);
  }
  /// The bytes of the answer to a get of rows, from that place on.
  [[nodiscard]] std::vector<std::byte> get(std::size_t place, std::size_t row_bytes,
                                           GetRecord::Level rows) {
    GetRecord asked{};
    asked.request = 1;
    asked.address = address(place);
    asked.row_bytes = row_bytes;
    asked.levels = 1;
    asked.level[0] = rows;
    net_.peer.say(Kind::get, 1, &asked, offsetof(GetRecord, level) + sizeof rows);
    EXPECT_TRUE(net_.until([&] { return !net_.peer.seen(Kind::data).empty(); }));
    std::vector<std::byte> body = net_.peer.seen(Kind::data).at(0).body;
    body.erase(body.begin(), body.begin() + sizeof(DataRecord));
    return body;
  }

  CountingKind kind_;
  std::array<std::byte, bytes> memory_{};
  space::Exposures exposed_{};
  harness::TwoNodes net_{harness::TwoNodes::with(service)};
};

TEST_F(RoutineTest, rows_that_overlap_are_read_once) {
  constexpr std::size_t row_bytes = 8, rows = 16, first = 40;
  std::vector<std::byte> wanted;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < row_bytes; ++i)
      wanted.push_back(static_cast<std::byte>(first - row + i));
  EXPECT_EQ(get(first, row_bytes, {.count = rows, .stride = -1}), wanted);
  EXPECT_EQ(kind_.read_bytes, rows - 1 + row_bytes);
}

TEST_F(RoutineTest, what_lies_between_rows_is_not_read) {
  constexpr std::size_t row_bytes = 4, rows = 3, stride = 16;
  std::vector<std::byte> wanted;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < row_bytes; ++i)
      wanted.push_back(static_cast<std::byte>(row * stride + i));
  EXPECT_EQ(get(0, row_bytes, {.count = rows, .stride = stride}), wanted);
  EXPECT_EQ(kind_.read_bytes, rows * row_bytes);
}

}  // namespace
}  // namespace armature::rma
