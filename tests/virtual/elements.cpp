// An object array, variables of ranks and remote objects on virtual ranks: what must come back from
// a checkpoint, and go along when ranks get other processes. Elements come and go, move, call each
// other and are balanced. It prints one number, which must not depend on where anything was, nor on
// how often the job was stopped, went back or was resized.
//
//   virtual_elements STEPS EVERY PAUSE_US DIE_AT
//
// EVERY steps it writes a checkpoint (0: never; below 0: in memory), DIE_AT a step rank 0's process
// is killed, unless the job has been restarted, or has gone back, since.
#include <unistd.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>
#include <armature/rank_local.hpp>
#include <armature/virtual.hpp>

#include "step_program.hpp"

namespace {

using armature::World;
using Index = std::tuple<int, int>;

/// Each rank has one: what it has done, and a container that grows and shrinks.
struct Diary {
  std::uint64_t sum = 0;
  std::map<int, std::string> pages;
  void note(int step) {
    sum = mixed(sum, static_cast<std::uint64_t>(step));
    pages[step % 17] = std::string(static_cast<std::size_t>(step % 60), 'x');
  }
};
armature::rank_local<Diary> diary;

struct Cell;
using Cells = armature::object_array_ref<Cell, Index>;

struct Cell {
  int row = 0, column = 0;
  std::uint64_t received = 0;
  std::vector<std::uint64_t> history;
  armature::mailbox<std::uint64_t> letters{};  // by triples of steps
  long triple = 0;

  void define_type(armature::typer& t) {
    t.local(row);
    t.local(column);
    t.local(received);
    t.local(history);
    t.local(letters);
    t.local(triple);
  }
  void take(std::uint64_t value) { received += value; }  // in any order
  /// Passes something on to a neighbour.
  void step(Cells cells, int number, int columns) {
    const std::uint64_t value =
        mixed(static_cast<std::uint64_t>(row * 100 + column), static_cast<std::uint64_t>(number));
    const auto neighbour = cells[{row, (column + 1) % columns}];
    neighbour.async(&Cell::take, value);
    neighbour.put(&Cell::letters, number / 3, value);
    if (number == 0) wait();
  }
  /// It waits while checkpoints are written, and while it moves.
  void wait() { armature::when(this, &Cell::read, letters(triple, 3)); }
  void read(const std::vector<std::uint64_t>& three) {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : three) sum += one;  // in any order
    received = mixed(received, sum);
    ++triple;
    wait();
  }
  void remember() {
    history.push_back(received);
    if (history.size() > 30) history.erase(history.begin(), history.begin() + 15);
  }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = mixed(received, history.size());
    for (const std::uint64_t before : history) sum = mixed(sum, before);
    return sum;
  }
};

class Worker {
 public:
  Worker(World& world, const StepSettings& settings)
      : world_(world),
        settings_(settings),
        random_(static_cast<unsigned>(world.rank()) + 1),
        cells_(world, armature::all_indices(rows, columns), [](const Index& index) {
          return Cell{std::get<0>(index), std::get<1>(index), 0, {}};
        }) {
    cells_.measure(true);
  }

  std::uint64_t run() {
    for (step_ = 0; step_ < settings_.steps; ++step_) step();
    std::uint64_t sum = allreduce(world_, mixed(diary->sum, diary->pages.size()));
    if (world_.rank() == 0) sum += cells_.reduce(&Cell::total);
    return broadcast(world_, sum, 0);
  }

 private:
  static constexpr int rows = 4, columns = 6;

  bool is_mine(int number) const { return number % world_.size() == world_.rank(); }
  void step() {
    diary->note(step_);
    for (int cell = 0; cell < rows * columns; ++cell)
      if (is_mine(cell))
        cells_[{cell / columns, cell % columns}].async(&Cell::step, cells_.ref(), step_, columns);
    cells_[{static_cast<int>(random_() % rows), static_cast<int>(random_() % columns)}].move_to(
        static_cast<int>(random_() % static_cast<unsigned>(world_.size())));
    if (settings_.pause_us > 0) usleep(static_cast<unsigned>(settings_.pause_us));
    cells_.fence();
    come_and_go();
    if (step_ % 10 == 9) cells_.broadcast(&Cell::remember), cells_.fence();
    if (step_ % 25 == 24) armature::rebalance(cells_);
    meeting_.meet(world_, step_);
  }
  /// A row that is there in every other step.
  void come_and_go() {
    const Index extra{rows, step_ / 2 % 5};
    if (is_mine(step_ / 2)) {
      if (step_ % 2 == 0) {
        cells_[extra].create_on(static_cast<int>(random_() % static_cast<unsigned>(world_.size())),
                                Cell{rows, step_, 1, {}});
      } else {
        diary->sum += cells_[extra].sync(&Cell::total);
        cells_[extra].destroy();
      }
    }
    cells_.fence();
  }

  World& world_;
  const StepSettings settings_;
  std::mt19937 random_;
  armature::object_array<Cell, Index> cells_;
  int step_ = 0;
  StepMeeting meeting_{settings_};
};

}  // namespace

int main(int argc, char** argv) { return run_steps<Worker>(argc, argv); }
