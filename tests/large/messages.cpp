// A message of more than 4 GiB from one rank to another, in little memory. Both sides' range is the
// same 64 MiB again and again, but for windows whose bytes are compared. They are at both ends, and
// where a number of 32 bits would start again.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include <armature/armature.hpp>

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t window = 2 * mebi, part = 64 * mebi, four_gibi = std::size_t{4} << 30;
constexpr std::size_t bytes = four_gibi + 3 * part;
constexpr std::array<std::size_t, 4> windows{0, four_gibi - window, four_gibi, bytes - window};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::byte* make_range() {
  const int file = memfd_create("part", MFD_CLOEXEC);
  require(file >= 0 && ftruncate(file, static_cast<off_t>(part)) == 0, "no memory file");
  void* const all =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(all != MAP_FAILED, "no addresses");
  auto* const range = static_cast<std::byte*>(all);
  for (std::size_t at = 0; at < bytes; at += part)
    require(mmap(range + at, part, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
                MAP_FAILED,
            "no mapping");
  for (const std::size_t at : windows)
    require(mmap(range + at, window, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED,
            "no window");
  close(file);
  return range;
}

std::byte mark(std::size_t at) {
  return static_cast<std::byte>(at * std::size_t{0x9e37'79b9'7f4a'7c15} >> 56);
}

int body(armature::World& world) {
  std::byte* const range = make_range();
  if (world.rank() == 0) {
    for (const std::size_t at : windows)
      for (std::size_t i = 0; i < window; ++i) range[at + i] = mark(at + i);
    armature::send(1, 7, std::span<const std::byte>(range, bytes));
  } else {
    const armature::Received got = armature::receive(0, 7, std::span(range, bytes));
    require(got.bytes == bytes, "another length");
    for (const std::size_t at : windows)
      for (std::size_t i = 0; i < window; ++i)
        require(range[at + i] == mark(at + i), "another byte");
    std::printf("all of a message of more than 4 GiB\n");
  }
  world.barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
