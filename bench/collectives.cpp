#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bench/rows.hpp"

// Collective calls: barriers and short reductions; and data that go from one to all, all to one and
// all to all. Beside them are the same copies by hand: a barrier, gets of what each needs, and a
// barrier. Data in private memory are copied into global memory first, by hand.

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// One size of data, at all ranks: what a rank has for others, and what it gets of them.
class Moved {
 public:
  Moved(World& world, std::size_t bytes, bool is_private)
      : world_(world),
        bytes_(bytes),
        is_private_(is_private),
        shared_from_(world.allocate<std::byte>(bytes)),
        shared_to_(world.allocate<std::byte>(bytes)),
        own_from_(is_private ? bytes : 0, std::byte{1}),
        own_to_(is_private ? bytes : 0) {
    std::memset(shared_from_.local().data(), 1, bytes);
    std::memset(shared_to_.local().data(), 2, bytes);
  }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;
  ~Moved() {
    world_.free(shared_from_);
    world_.free(shared_to_);
  }

  void rows(Stage& stage, const std::string& head, const std::string& tail) {
    const auto n = static_cast<std::size_t>(world_.size());
    const std::size_t block = bytes_ / n;
    const bool is_root = world_.rank() == 0;
    const std::span<std::byte> from = is_private_ ? std::span(own_from_) : shared_from_.local();
    const std::span<std::byte> to = is_private_ ? std::span(own_to_) : shared_to_.local();
    const std::span<const std::byte> sent = from;
    // The limit by hand: so many bytes of this rank's are needed, and what it gets.
    const auto row = [&](const char* op, auto collective, std::size_t needed, auto gets) {
      stage.together({head + op + tail, bytes_}, collective, [&, needed] {
        if (is_private_) std::memcpy(shared_from_.local().data(), sent.data(), needed);
        world_.barrier();
        gets();
        wait_all();
        world_.barrier();
      });
    };
    row(
        "broadcast", [&] { broadcast(world_, is_root ? from : to, 0); }, is_root ? bytes_ : 0,
        [&] {
          if (!is_root) get_nbi(to.data(), shared_from_.on(0), bytes_);
        });
    row(
        "scatter", [&] { scatter(world_, sent, to.first(block), 0); }, is_root ? bytes_ : 0,
        [&] { get_block(to.data(), 0, world_.rank(), block); });
    row(
        "gather", [&] { gather(world_, sent.first(block), to, 0); }, block,
        [&] {
          for (std::size_t i = 0; is_root && i < n; ++i)
            get_block(to.data() + i * block, static_cast<int>(i), 0, block);
        });
    row(
        "alltoall", [&] { alltoall(world_, sent, to); }, bytes_,
        [&] {
          for (int i = 0; i < world_.size(); ++i) {
            const int rank = (world_.rank() + i) % world_.size();
            get_block(to.data() + static_cast<std::size_t>(rank) * block, rank, world_.rank(),
                      block);
          }
        });
  }

 private:
  void get_block(std::byte* to, int rank, int number, std::size_t block) const {
    get_nbi(to,
            shared_from_.on(rank) +
                static_cast<std::ptrdiff_t>(static_cast<std::size_t>(number) * block),
            block);
  }

  World& world_;
  std::size_t bytes_;
  bool is_private_;
  Piece<std::byte> shared_from_, shared_to_;
  std::vector<std::byte> own_from_, own_to_;
};

}  // namespace

void collective_rows(Stage& stage) {
  World& world = stage.world();
  const std::string tail = ".p" + std::to_string(world.size());
  const auto barrier = [&world] { world.barrier(); };
  int sense = 0;  // of this rank
  limits::Barrier& plain = stage.channel().barrier;
  if (world.size() == 2)
    stage.together({"barrier" + tail}, barrier, [&] { plain.wait<false>(2, sense); });
  else
    stage.together({"barrier" + tail}, barrier, [&] { plain.wait<true>(world.size(), sense); });
  stage.together(
      {"allreduce8" + tail}, [&world] { keep(allreduce(world, 1.0)); }, nullptr);
  long_collective_rows(stage, "", tail);
}

void long_collective_rows(Stage& stage, const std::string& head, const std::string& tail) {
  const auto has = [&](const char* op) { return stage.has(head + op + tail); };
  const auto has_private = [&](const char* op) { return stage.has(head + op + tail + ".private"); };
  constexpr const char* ops[] = {"broadcast", "scatter", "gather", "alltoall"};
  for (const std::size_t bytes : {std::size_t{65536}, mebi, 16 * mebi}) {
    if (std::ranges::any_of(ops, has)) Moved(stage.world(), bytes, false).rows(stage, head, tail);
    if (std::ranges::any_of(ops, has_private))
      Moved(stage.world(), bytes, true).rows(stage, head, tail + ".private");
  }
}

}  // namespace armature::bench
