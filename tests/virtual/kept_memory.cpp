// Local memory that a rank has freed, and that is kept for its next allocation, is neither written
// into checkpoints nor taken to another node. Memory that is in use is: so it is seen that the
// bytes are counted.
//
//   virtual_kept_memory          of four ranks in two processes
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::ProcessId;
using armature::World;
using Word = std::uint64_t;

constexpr std::size_t block_bytes = std::size_t{16} << 20, block_words = block_bytes / sizeof(Word);
/// Everything else of four ranks may take so much more from one time to the next.
constexpr std::size_t noise_bytes = block_bytes / 2;

/// Full of what cannot be packed.
armature::global_ptr<Word> filled_block(const World& world) {
  const auto block = world.allocate_local_for_overwrite<Word>(block_words);
  std::mt19937_64 random(static_cast<unsigned>(world.rank()));
  for (std::size_t i = 0; i < block_words; ++i) block.address()[i] = random();
  return block;
}

/// Writes beside the program: the directory of a test.
std::size_t checkpoint_bytes(World& world) {
  char name[] = "./kept_memory-XXXXXX";
  if (world.rank() == 0) require(mkdtemp(name) != nullptr, "a directory for checkpoints");
  for (char& letter : name) letter = broadcast(world, letter, 0);
  require(!armature::checkpoint(std::string(name)), "the job goes on");
  std::size_t bytes = 0;
  if (world.rank() == 0) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(name))
      if (file.is_regular_file()) bytes += file.file_size();
    std::filesystem::remove_all(name);
  }
  return broadcast(world, bytes, 0);
}

void what_was_freed_is_not_written(World& world) {
  const auto block = filled_block(world);
  const std::size_t in_use = checkpoint_bytes(world);
  world.free_local(block);
  const std::size_t freed = checkpoint_bytes(world);
  const auto ranks = static_cast<std::size_t>(world.size());
  require(in_use >= ranks * block_bytes, "what is in use is written");
  require(freed + ranks * block_bytes < in_use + noise_bytes, "what was freed is written");
}

/// The memory of this node: what all memory files that this process has open take, in bytes.
std::size_t node_memory() {
  std::size_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(file, error).string();
    struct stat is {};
    if (target.starts_with("/memfd:") && stat(file.path().c_str(), &is) == 0)
      bytes += static_cast<std::size_t>(is.st_blocks) * 512;
  }
  return bytes;
}

/// How much larger the other node's memory is when rank 0 has come.
std::size_t bytes_taken_along(World& world, ProcessId home, ProcessId away) {
  const int last = world.size() - 1;
  const std::size_t before = node_memory();
  armature::migrate_together(world.rank() == 0 ? away : home);
  const std::size_t after = node_memory();
  armature::migrate_together(home);
  return broadcast(world, after > before ? after - before : 0, last);
}

void what_was_freed_stays(World& world) {
  const ProcessId home = armature::process_of(world.rank());
  const ProcessId away = armature::process_of(world.size() - 1);
  armature::global_ptr<Word> block;
  if (world.rank() == 0) {
    block = filled_block(world);
    world.free_local(block);
  }
  require(bytes_taken_along(world, home, away) < noise_bytes, "what was freed is taken along");
  if (world.rank() == 0) block = filled_block(world);
  require(bytes_taken_along(world, home, away) >= block_bytes, "what is in use is taken along");
  if (world.rank() == 0) world.free_local(block);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](World& world) {
    what_was_freed_is_not_written(world);
    if (!armature::same_node(0, world.size() - 1)) what_was_freed_stays(world);
  });
}
