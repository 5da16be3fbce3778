// Distributed arrays of virtual ranks that move, are balanced, written to disk and brought back.
// Arrays and plans are made once; some arrays come and go. In each step every member compares what
// it has with a serial model. It prints one number, which must not depend on where anything was.
//
//   arrays_steps STEPS EVERY PAUSE_US DIE_AT
//
// EVERY steps it writes a checkpoint (0: never; below 0: in memory), DIE_AT a step rank 0's process
// is killed, unless the job has been restarted, or has gone back, since.
#include <unistd.h>

#include <cstdint>
#include <random>
#include <vector>

#include <armature/armature.hpp>
#include <armature/array.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "../virtual/checks.hpp"
#include "../virtual/step_program.hpp"

namespace {

using armature::Distribution;
using armature::Range;
using armature::World;
using Matrix = armature::distributed_array<std::int64_t, 2>;

constexpr std::ptrdiff_t rows = 24, columns = 18;

std::int64_t following(std::int64_t x, std::int64_t left, std::int64_t right) {
  return (3 * x + left + 2 * right + 1) % 1'000'003;
}

/// The elements in one memory, the same at all ranks.
struct Model {
  std::vector<std::int64_t> data = std::vector<std::int64_t>(rows * columns);
  std::int64_t& at(std::ptrdiff_t i, std::ptrdiff_t j) {
    i = (i + rows) % rows;
    return data[static_cast<std::size_t>(i * columns + j)];
  }
};

class Worker {
 public:
  Worker(World& world, const StepSettings& settings)
      : world_(world),
        settings_(settings),
        random_(1),  // the same at all ranks
        field_(world, {rows, columns}, {.name = "field", .ghosts = {1, 0}}),
        dealt_(world, {columns, rows},
               {.name = "dealt", .distribution = {Distribution::cyclic(2), Distribution::block()}}),
        counts_(world, {world.size()}, {.name = "counts"}),
        ghosts_(field_, {.periodic = {true, false}}),
        away_(dealt_.all(), field_.all().transposed()),
        back_(field_.all(), dealt_.all().transposed()) {
    generate(field_, [](const auto& i) { return 31 * i[0] + 7 * i[1]; });
    for (std::ptrdiff_t i = 0; i < rows; ++i)
      for (std::ptrdiff_t j = 0; j < columns; ++j) model_.at(i, j) = 31 * i + 7 * j;
  }

  std::uint64_t run() {
    for (step_ = 0; step_ < settings_.steps; ++step_) step();
    std::uint64_t mine = 0;
    const auto view = field_.local();
    for (std::ptrdiff_t i = 0; i < view.extent(0); ++i)
      for (std::ptrdiff_t j = 0; j < view.extent(1); ++j) {
        const auto at = field_.global({i, j});
        mine += mixed(static_cast<std::uint64_t>(view(i, j)),
                      static_cast<std::uint64_t>(at[0] * columns + at[1]));
      }
    require(sum(counts_) == std::int64_t{settings_.steps} * world_.size(), "an increment is lost");
    return allreduce(world_, mine);
  }

 private:
  void step() {
    sweep();
    move();
    away_.run();
    scale(dealt_, 5);
    for (std::int64_t& x : model_.data) x *= 5;
    move();
    back_.run();
    add_to_sections();
    (void)counts_.read_increment({(world_.rank() + step_) % world_.size()});
    if (step_ % 5 == 4) come_and_go();
    compare();
    if (settings_.pause_us > 0) usleep(static_cast<unsigned>(settings_.pause_us));
    if (step_ % 10 == 9 && armature::can_migrate()) (void)armature::rebalance(world_);
    meeting_.meet(world_, step_);
  }
  void sweep() {
    ghosts_.run();
    const auto view = field_.local();
    std::vector<std::int64_t> next(static_cast<std::size_t>(view.size()));
    std::size_t n = 0;
    for (std::ptrdiff_t i = 0; i < view.extent(0); ++i)
      for (std::ptrdiff_t j = 0; j < view.extent(1); ++j)
        next[n++] = following(view(i, j), view(i - 1, j), view(i + 1, j));
    n = 0;
    for (std::ptrdiff_t i = 0; i < view.extent(0); ++i)
      for (std::ptrdiff_t j = 0; j < view.extent(1); ++j) view(i, j) = next[n++];
    field_.fence();
    Model before = model_;
    for (std::ptrdiff_t i = 0; i < rows; ++i)
      for (std::ptrdiff_t j = 0; j < columns; ++j)
        model_.at(i, j) = following(before.at(i, j), before.at(i - 1, j), before.at(i + 1, j));
  }
  /// All members add the same to one section.
  void add_to_sections() {
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(random_() % (rows - 4));
    const std::ptrdiff_t j = static_cast<std::ptrdiff_t>(random_() % (columns - 3));
    const std::vector<std::int64_t> by(12, step_ + 1);
    field_[{Range(i, i + 4), Range(j, j + 3)}].accumulate(by, 2);
    for (std::ptrdiff_t k = 0; k < 12; ++k)
      model_.at(i + k / 3, j + k % 3) += 2 * (step_ + 1) * world_.size();
    field_.fence();
  }
  /// An array that is there for this step alone, in memory that others have had.
  void come_and_go() {
    Matrix copy(world_, {rows, columns},
                {.name = "copy", .distribution = {Distribution::cyclic(), Distribution::cyclic()}});
    copy.all() = field_.all();
    move();
    require(sum(copy) == sum(field_), "a copy has another sum");
  }
  /// Ranks go to the process of another one; which one is the same at all.
  void move() {
    const unsigned by = static_cast<unsigned>(random_());
    if (!armature::can_migrate() || by % 3 != 0) return;
    const auto size = static_cast<unsigned>(world_.size());
    const auto other = (static_cast<unsigned>(world_.rank()) + by / 3) % size;
    try {
      armature::migrate_together(armature::process_of(static_cast<int>(other)));
    } catch (const armature::Error& error) {
      // A process that has been killed since: nobody has moved.
      require(error.code() == armature::Errc::bad_argument, error.what());
    }
  }
  void compare() {
    const auto view = field_.local();
    for (std::ptrdiff_t i = 0; i < view.extent(0); ++i)
      for (std::ptrdiff_t j = 0; j < view.extent(1); ++j) {
        const auto at = field_.global({i, j});
        require(view(i, j) == model_.at(at[0], at[1]), "an element is not that of the model");
      }
    field_.fence();
  }

  World& world_;
  const StepSettings settings_;
  std::mt19937 random_;
  Matrix field_, dealt_;
  armature::distributed_array<std::int64_t, 1> counts_;
  armature::ghost_exchange<2> ghosts_;
  armature::copy_schedule<std::int64_t> away_, back_;
  Model model_;
  int step_ = 0;
  StepMeeting meeting_{settings_};
};

}  // namespace

int main(int argc, char** argv) { return run_steps<Worker>(argc, argv); }
