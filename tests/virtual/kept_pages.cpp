// Ranks leave memory behind on a node: one that comes back soon finds nothing of it but its own,
// and later it is given back.
//
//   virtual_kept_pages          of four ranks on two nodes, two of them on each
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::ProcessId;
using armature::World;
using Clock = std::chrono::steady_clock;

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr int blocks = 32;
constexpr std::size_t most_of_a_rank = block_bytes * blocks * 3 / 4;

/// Waits; the process goes on with other ranks meanwhile, if there are any.
void wait(std::chrono::milliseconds duration) {
  const auto end = Clock::now() + duration;
  while (Clock::now() < end) armature::yield();
}

/// The memory of this node: what all memory files that this process has open take, in bytes.
std::size_t node_memory() {
  std::size_t bytes = 0;
  DIR* const files = opendir("/proc/self/fd");
  require(files != nullptr, "/proc/self/fd");
  while (const dirent* const file = readdir(files)) {
    const std::string path = std::string("/proc/self/fd/") + file->d_name;
    char name[64] = {};
    struct stat is {};
    if (readlink(path.c_str(), name, sizeof name - 1) > 0 &&
        std::strncmp(name, "/memfd:", 7) == 0 && stat(path.c_str(), &is) == 0)
      bytes += static_cast<std::size_t>(is.st_blocks) * 512;
  }
  closedir(files);
  return bytes;
}

bool is_all(const char* block, char what) {
  return block[0] == what && std::memcmp(block, block + 1, block_bytes - 1) == 0;
}

/// Blocks that change while the rank is away, where it frees some, and gets others anew. It finds
/// those as they were there, and what it gets with calloc is zero.
class MovingObject {
 public:
  explicit MovingObject(char name) : name_(name) {
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(static_cast<char*>(std::malloc(block_bytes)));
      std::memset(blocks_.back(), name_, block_bytes);
    }
  }
  ~MovingObject() {
    for (char* block : blocks_) std::free(block);
  }
  MovingObject(const MovingObject&) = delete;
  MovingObject& operator=(const MovingObject&) = delete;

  void change() {
    check();
    ++name_;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (i % 3 == 0) continue;
      if (i % 3 == 1) std::free(blocks_[i]);
      blocks_[i] =
          i % 3 == 1 ? nullptr : static_cast<char*>(std::memset(blocks_[i], name_, block_bytes));
    }
    changed_ = true;
  }
  void get_anew() {
    check();
    for (char*& block : blocks_)
      if (block == nullptr) {
        block = static_cast<char*>(std::calloc(1, block_bytes));
        require(is_all(block, 0), "calloc finds what was left over");
      }
    for (char* block : blocks_) std::memset(block, name_, block_bytes);
    changed_ = false;
  }

 private:
  void check() const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const bool is_as_before = changed_ && i % 3 == 0;
      if (blocks_[i] != nullptr)
        require(is_all(blocks_[i], static_cast<char>(is_as_before ? name_ - 1 : name_)),
                "a block is not as it was on the other node");
    }
  }

  char name_;
  bool changed_ = false;
  std::vector<char*> blocks_;
};

/// All go to the other node and back, again and again; some stay until part of what they have left
/// is given back.
void come_back(ProcessId home, ProcessId away) {
  MovingObject moving_object(static_cast<char>('A' + armature::world().rank()));
  for (int round = 0; round < 6; ++round) {
    armature::migrate_together(away);
    moving_object.change();
    if (round % 3 == 2) wait(std::chrono::milliseconds(1100));
    armature::migrate_together(home);
    moving_object.get_anew();
  }
}

/// Rank 0 leaves, and rank 1 goes on beside it.
void give_back_beside_ranks(World& world, ProcessId home, ProcessId away) {
  std::optional<MovingObject> moving_object;
  if (world.rank() == 0) moving_object.emplace('a');
  world.barrier();
  const std::size_t before = node_memory();
  armature::migrate_together(world.rank() == 0 ? away : home);
  const auto end = Clock::now() + std::chrono::seconds(30);
  while (world.rank() == 1 && node_memory() + most_of_a_rank > before) {
    require(Clock::now() < end, "what a rank has left over is not given back");
    wait(std::chrono::milliseconds(10));
  }
  world.barrier();
  armature::migrate_together(home);
}

/// Ranks 0 and 1 leave, and nobody is left there.
void give_back_where_nobody_runs(World& world, ProcessId home, ProcessId away) {
  std::optional<MovingObject> moving_object;
  if (world.rank() <= 1) moving_object.emplace('b');
  world.barrier();
  const std::size_t before = node_memory();
  require(world.rank() > 1 || before > blocks * block_bytes, "the memory of a node can be seen");
  bool is_given_back = false;
  for (int tries = 0; tries < 10 && !is_given_back; ++tries) {
    armature::migrate_together(world.rank() <= 1 ? away : home);
    wait(std::chrono::seconds(2));
    world.barrier();
    armature::migrate_together(world.rank() == 1 ? away : home);
    is_given_back =
        broadcast(world, world.rank() == 0 && node_memory() + most_of_a_rank < before, 0);
  }
  require(is_given_back, "what ranks have left where nobody runs is not given back");
  armature::migrate_together(home);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](World& world) {
    const ProcessId home = armature::process_of(world.rank());
    const ProcessId away = armature::process_of((world.rank() + 2) % world.size());
    come_back(home, away);
    give_back_beside_ranks(world, home, away);
    give_back_where_nobody_runs(world, home, away);
  });
}
