#include "world/restored_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "checkpoint/one_rank.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armature {
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::uint64_t elsewhere = space::default_base + space::default_room / 2;

bool is_free(std::uint64_t address) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got = mmap(wanted, 4096, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED) munmap(got, 4096);
  return got == wanted;
}

class RoomToHoldTest : public ::testing::Test {
 protected:
  RoomToHoldTest() : directory_(testing::TempDir() + "room-" + std::to_string(getpid())) {}
  ~RoomToHoldTest() override { std::filesystem::remove_all(directory_); }

  void write(checkpoints::Manifest manifest) const {
    manifest.parts = {{.name = "ranks-0"}};
    checkpoints::complete(checkpoints::make_folder(directory_), manifest);
  }

  const std::string directory_;
};

TEST_F(RoomToHoldTest, it_is_where_the_checkpoint_has_its_segments) {
  checkpoints::Manifest manifest = checkpoints::one_rank();
  manifest.ranks = 3;
  manifest.layout.segment_base = elsewhere;
  manifest.layout.segment_bytes = 64 * mebibyte;
  write(manifest);
  ASSERT_TRUE(is_free(elsewhere));
  const space::Room room = room_to_hold(directory_);
  EXPECT_EQ(room.base, elsewhere);
  EXPECT_EQ(room.bytes, 3 * manifest.layout.segment_bytes);
  {
    const space::AddressReservation held(room);
    EXPECT_FALSE(is_free(elsewhere));
    EXPECT_FALSE(is_free(elsewhere - space::below_segments_bytes));
    EXPECT_FALSE(is_free(elsewhere + 3 * manifest.layout.segment_bytes - 4096));
    EXPECT_TRUE(is_free(elsewhere + 3 * manifest.layout.segment_bytes));
  }
  EXPECT_TRUE(is_free(elsewhere));
}

TEST_F(RoomToHoldTest, it_is_the_default_one_where_the_checkpoint_makes_no_sense) {
  EXPECT_EQ(room_to_hold(directory_).base, space::default_base);
  checkpoints::Manifest manifest = checkpoints::one_rank();
  manifest.ranks = 1000;
  manifest.layout.segment_base = elsewhere;
  manifest.layout.segment_bytes = space::default_room;
  write(manifest);
  EXPECT_EQ(room_to_hold(directory_).bytes, space::default_room);
}

}  // namespace
}  // namespace armature
