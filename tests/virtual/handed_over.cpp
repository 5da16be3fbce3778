// A rank that waits for an answer hands its turn over to the rank that it has asked. Whatever that
// one does in the call (it waits, asks back, yields, throws, moves), all go on as if each had
// turns of its own.
#include <cstdint>
#include <stdexcept>
#include <string>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::ProcessId;
using armature::World;

class Asked {
 public:
  explicit Asked(std::uint64_t* open) : open_(open) {}

  void note(int value) { last_ = value; }
  int last() { return last_; }
  /// Asks the next rank, and so on, `deep` ranks far.
  int chain(armature::shared_ref<Asked> all, int deep) {
    const World& world = armature::world();
    if (deep == 0) return 0;
    const int next = (static_cast<int>(world.rank()) + 1) % world.size();
    return 1 + all.sync(next, &Asked::chain, all, deep - 1);
  }
  /// Waits inside the call until another rank has called.
  int wait_until_noted(int value) {
    while (last_ != value) armature::rmi_wait();
    return last_;
  }
  /// Yields inside the call until another rank has called.
  int yield_until_noted(int value) {
    while (last_ != value) {
      armature::yield();
      armature::rmi_poll();
    }
    return last_;
  }
  /// Has the rank that asks call back, and yields until it has.
  int yield_until_called_back(armature::shared_ref<Asked> all, int asker) {
    all.async(asker, &Asked::note_there, all, static_cast<int>(armature::world().rank()), 79);
    return yield_until_noted(79);
  }
  void note_there(armature::shared_ref<Asked> all, int to, int value) {
    all.async(to, &Asked::note, value);
  }
  void fail(int value) { throw std::runtime_error("no " + std::to_string(value)); }
  int move(int process) {
    armature::migrate(ProcessId(process));
    return armature::process_of(armature::world().rank()).number();
  }
  void open() { *open_ = 1; }

 private:
  std::uint64_t* open_;
  int last_ = 0;
};

class Job {
 public:
  explicit Job(World& world)
      : world_(world), open_(world.allocate<std::uint64_t>(1)), all_(world, open_.local().data()) {}

  void run() {
    const int me = static_cast<int>(world_.rank());
    for (int asker = 0; asker < world_.size(); ++asker) {
      if (me == asker) ask_all();
      world_.barrier();
    }
    for (const auto wait : {&Asked::wait_until_noted, &Asked::yield_until_noted}) {
      if (me == 0) require(all_.sync(1, wait, 77) == 77, "a call that waits has come back early");
      if (me == 2) all_.async(1, &Asked::note, 77);
      world_.barrier();
      all_->note(0);
      world_.barrier();
    }
    open_by_call(me);
    keep_asking(me);
    move_in_call(me);
  }

 private:
  void ask_all() {
    const int me = static_cast<int>(world_.rank());
    for (int to = 0; to < world_.size(); ++to) {
      for (int i = 0; i < 100; ++i) {
        all_.async(to, &Asked::note, me * 1000 + i);
        require(all_.sync(to, &Asked::last) == me * 1000 + i, "a call before was not executed");
      }
      require(all_.sync(to, &Asked::chain, all_.ref(), 7) == 7, "a chain of calls has broken");
      try {
        all_.sync(to, &Asked::fail, me);
        require(false, "an exception was lost");
      } catch (const armature::RemoteError& error) {
        require(std::string(error.what()).find("no " + std::to_string(me)) != std::string::npos,
                "another exception came");
      }
      require(to == me || all_.sync(to, &Asked::yield_until_called_back, all_.ref(), me) == 79,
              "the rank that asks has not called back");
      all_.async(to, &Asked::note, 0);
      all_.sync(to, &Asked::last);
    }
  }
  /// The call makes true what the called rank waits for.
  void open_by_call(int me) {
    if (me == 1) armature::wait_until(open_.local().data(), armature::Comparison::eq, 1);
    if (me == 0) all_.sync(1, &Asked::open);
    world_.barrier();
    open_[0] = 0;
    world_.barrier();
  }
  /// Others have their turns while two ranks ask and answer.
  void keep_asking(int me) {
    if (me == 2) armature::put(open_.on(0), std::uint64_t{1});
    if (me == 0)
      while (armature::get(open_.on(0)) == 0) all_.sync(1, &Asked::last);
    world_.barrier();
  }
  void move_in_call(int me) {
    const int processes = armature::hosting_processes();
    if (me == 0)
      for (int i = 0; i < 20; ++i)
        require(all_.sync(1, &Asked::move, i % processes) == i % processes,
                "a rank has not moved while it was asked");
    world_.barrier();
  }

  World& world_;
  armature::Piece<std::uint64_t> open_;
  armature::shared<Asked> all_;
};

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) { Job(world).run(); });
}
