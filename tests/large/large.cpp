// Allocations and transfers over 4 GiB, where a byte count or an offset in 32 bits would show. Rank
// 1 has a piece of 4.5 GiB. Rank 0 moves it in one put, one get, one section and one accumulate
// that all cross the 4 GiB line, and looks at marks on both sides of it.
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include <armature/armature.hpp>

namespace {

using armature::World;

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::size_t bytes = 4 * gib + gib / 2;
constexpr std::size_t doubles = bytes / sizeof(double);
// Marks around the 4 GiB line and at the end.
constexpr std::array<std::size_t, 5> marks{0, (4 * gib) / 8 - 1, (4 * gib) / 8, (4 * gib) / 8 + 1,
                                           doubles - 1};

void expect(bool good, const char* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  armature::abort(1, what);
}

/// Memory of as many doubles as the piece has, in large pages: a virtual machine may take tens of
/// microseconds for each page that is touched first.
struct Own {
  Own() : memory(std::aligned_alloc(std::size_t{2} << 20, bytes), &std::free) {
    expect(memory != nullptr, "memory of this rank's own");
    (void)madvise(memory.get(), bytes, MADV_HUGEPAGE);
  }
  [[nodiscard]] std::span<double> all() const {
    return {static_cast<double*>(memory.get()), doubles};
  }
  std::unique_ptr<void, decltype(&std::free)> memory;
};

double mark(std::size_t i, double salt) { return static_cast<double>(i) + salt; }

void put_and_get(const armature::Piece<double>& piece, std::span<double> mine) {
  for (const std::size_t i : marks) mine[i] = mark(i, 0.25);
  armature::put(piece.on(1), mine);
  for (const std::size_t i : marks)
    expect(armature::get(piece.on(1) + static_cast<std::ptrdiff_t>(i)) == mark(i, 0.25), "put");
  for (const std::size_t i : marks) mine[i] = 0;
  armature::get(mine, piece.on(1));
  for (const std::size_t i : marks) expect(mine[i] == mark(i, 0.25), "get");
}

void accumulate(const armature::Piece<double>& piece, std::span<const double> mine) {
  armature::accumulate(piece.on(1), mine, {.scale = 2.0});
  for (const std::size_t i : marks)
    expect(armature::get(piece.on(1) + static_cast<std::ptrdiff_t>(i)) == 3 * mark(i, 0.25),
           "accumulate");
}

/// Two rows, 4 GiB apart, and the same as a column of two with a negative stride.
void sections(const armature::Piece<double>& piece) {
  const std::array<double, 4> rows{1, 2, 3, 4};
  const std::array<std::size_t, 2> counts{16, 2};
  const std::array<std::ptrdiff_t, 1> far{4 * static_cast<std::ptrdiff_t>(gib)}, near{16},
      back{-far[0]};
  armature::put_strided(piece.on(1), rows.data(), {counts, far, near});
  std::array<double, 4> got{};
  armature::get_strided(got.data(), piece.on(1) + far[0] / 8, {counts, near, back});
  expect(got == std::array<double, 4>{3, 4, 1, 2}, "section");
}

void too_large(World& world, const armature::Piece<double>& piece) {
  try {
    armature::get(static_cast<double*>(nullptr), piece.on(1), doubles + 1);
    expect(false, "a get past the end");
  } catch (const armature::Error& e) {
    expect(e.code() == armature::Errc::bad_address, "the error of a get past the end");
  }
  (void)world;
}

/// Gibibytes that programs may still have.
double available() {
  std::ifstream all("/proc/meminfo");
  for (std::string name; all >> name; all.ignore(80, '\n')) {
    double kibibytes = 0;
    if (name == "MemAvailable:" && all >> kibibytes) return kibibytes * 1024 / gib;
  }
  return 0;
}

int body(World& world) {
  constexpr double needed = 11;
  constexpr int skipped = 77;
  const double there = broadcast(world, available(), 0);
  if (there < needed) {
    if (world.rank() == 0)
      std::printf("SKIPPED: this takes %.0f GiB of memory, of which %.1f are free\n", needed,
                  there);
    return skipped;
  }
  auto piece = world.allocate<double>(world.rank() == 1 ? doubles : 0);
  expect(piece.size(1) == doubles, "size");
  if (world.rank() == 0) {
    const Own mine;
    put_and_get(piece, mine.all());
    accumulate(piece, mine.all());
    sections(piece);
    too_large(world, piece);
  }
  world.free(piece);
  if (world.rank() == 0) std::printf("put, get, accumulate, sections: all of more than 4 GiB\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
