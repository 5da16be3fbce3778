// Writing a job of virtual ranks to disk, and going on from there. Beside it is what the same bytes
// take when each process writes, or reads, a plain file of its own in the same folder. The plain
// way does as well as it can: what it copies begins with a page, since the system copies several
// times slower from and to odd addresses. And it begins with as little: where a restart makes the
// memory that it fills, so does the plain reader.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>

#include "base/file_descriptor.hpp"
#include "bench/job.hpp"
#include "bench/noise.hpp"
#include "bench/rows.hpp"
#include "space/page_buffer.hpp"

namespace armature::bench {

namespace {

std::size_t bytes_of_each(const Effort& effort) {
  return (effort.burst < Effort{}.burst ? std::size_t{16} : std::size_t{128}) << 20;
}

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// Pages in the rank's own memory, from a page on.
class Pages {
 public:
  Pages(std::size_t bytes, int seed) : memory_(bytes), bytes_(bytes) {
    fill_with_noise({memory_.data(), bytes}, seed);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {memory_.data(), bytes_}; }

 private:
  const space::PageBuffer memory_;
  const std::size_t bytes_;
};

void write_plainly(const std::string& path, std::span<const std::byte> memory) {
  const base::FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  for (std::size_t at = 0; at < memory.size();) {
    const ssize_t n =
        write(file.get(), memory.data() + at, std::min(piece_bytes, memory.size() - at));
    if (n <= 0) abort(1, "bench: a file in the current folder cannot be written");
    at += static_cast<std::size_t>(n);
  }
  if (fsync(file.get()) != 0) abort(1, "bench: a file cannot be brought to disk");
}

/// Reads into memory that the system gives for it.
void read_plainly(const std::string& path, std::size_t bytes) {
  void* const start =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) abort(1, "bench: there is no memory to read a file into");
  auto* const memory = static_cast<std::byte*>(start);
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  for (std::size_t at = 0; at < bytes;) {
    const ssize_t n = read(file.get(), memory + at, std::min(piece_bytes, bytes - at));
    if (n <= 0) abort(1, "bench: a file in the current folder cannot be read");
    at += static_cast<std::size_t>(n);
  }
  // It stays: giving it back is nothing that a restart does.
}

std::string plain_file(const std::string& folder, int rank) {
  return folder + "/plain." + std::to_string(rank);
}

}  // namespace

void checkpoint_row(Stage& stage, const std::string& folder) {
  const std::size_t bytes = bytes_of_each(stage.effort());
  // The pages make the checkpoint as large as what the limit writes.
  const Pages memory(bytes, stage.world().rank());
  stage.together(
      {"checkpoint", bytes * static_cast<std::size_t>(stage.world().size())},
      [&] { (void)checkpoint(folder + "/job"); },
      [&] {
        write_plainly(plain_file(folder, stage.world().rank()), memory.bytes());
        stage.world().barrier();
      });
}

std::optional<Row> restart_row(World& world, const Effort& effort, const std::string& folder) {
  const std::size_t bytes = bytes_of_each(effort);
  const Pages memory(bytes, world.rank());
  write_plainly(plain_file(folder, world.rank()), memory.bytes());
  if (!checkpoint(folder + "/job")) return std::nullopt;

  const char* const started = std::getenv(started_variable);
  world.barrier();  // all go on
  const double ns = now_ns() - (started != nullptr ? std::stod(started) : 0);
  if (!std::ranges::equal(memory.bytes(), noise(bytes, world.rank())))
    abort(1, "bench: a restarted rank has other memory");
  world.barrier();
  const double before = now_ns();
  read_plainly(plain_file(folder, world.rank()), bytes);
  world.barrier();
  return Row{.op = "restart",
             .bytes = bytes * static_cast<std::size_t>(world.size()),
             .ns = ns,
             .limit_ns = now_ns() - before};
}

}  // namespace armature::bench
