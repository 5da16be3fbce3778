// Memory that ranks leave out of checkpoints is zero when they go on from one; all else is there.
//
//   virtual_left_out saves | saves_increments | recovers | is_refused
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/checkpoint_memory.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;
using Word = std::uint64_t;

constexpr std::size_t words = (std::size_t{4} << 20) / sizeof(Word);

/// Fills it with what cannot be packed.
void fill(std::span<Word> memory, int seed) {
  std::mt19937_64 random(static_cast<unsigned>(seed));
  for (Word& word : memory) word = random() | 1;
}

bool are_filled(std::span<const Word> memory, int seed) {
  std::mt19937_64 random(static_cast<unsigned>(seed));
  for (const Word word : memory)
    if (word != (random() | 1)) return false;
  return true;
}

/// A rank's memory: for others and for itself, of which it leaves out parts that begin and end in
/// the middle of pages.
class Memory {
 public:
  explicit Memory(World& world)
      : me_(world.rank()),
        piece_(world.allocate<Word>(words)),
        own_(words),
        kept_(words),
        taken_back_(words) {
    renew();
    armature::checkpoint_skip(left_out_of_piece());
    armature::checkpoint_skip(
        {own().data() + words / 2, 100 * sizeof(Word)});  // within what is left out below
    armature::checkpoint_only(own(), {own().first(1000), own().subspan(5000, 3), own().first(0)});
    armature::checkpoint_skip(std::vector<Word>());  // no bytes are anybody's
    armature::checkpoint_skip(taken_back_);
    armature::checkpoint_keep(taken_back_);
  }
  void renew() {
    fill(piece(), me_);
    fill(own(), 100 + me_);
    fill(kept_, 200 + me_);
    fill(taken_back_, 300 + me_);
  }
  void require_all() {
    require(are_filled(piece(), me_) && are_filled(own(), 100 + me_),
            "the job goes on with all that there is");
    require_kept();
  }
  void require_without() {
    std::vector<Word> whole(words);
    fill(whole, me_);
    const auto left_out = [](std::size_t i) { return i >= before && i < words - behind; };
    require_zero_pages(piece(), whole, left_out);
    fill(whole, 100 + me_);
    require_zero_pages(own(), whole,
                       [](std::size_t i) { return i >= 1000 && (i < 5000 || i >= 5003); });
    require_kept();
  }

 private:
  static constexpr std::size_t before = 777, behind = 333;
  std::span<Word> piece() { return {piece_.on(me_).address(), words}; }
  std::span<Word> own() { return own_; }
  std::span<Word> left_out_of_piece() { return piece().subspan(before, words - before - behind); }
  /// Pages of which all is left out are zero, and all others are there.
  template <class IsLeftOut>
  static void require_zero_pages(std::span<const Word> memory, std::span<const Word> whole,
                                 IsLeftOut is_left_out) {
    const auto page_of = [&](std::size_t i) {
      return reinterpret_cast<std::uintptr_t>(&memory[i]) / 4096;
    };
    std::size_t zeros = 0;
    for (std::size_t begin = 0, end = 0; begin < memory.size(); begin = end) {
      bool is_out = page_of(begin) * 4096 >= reinterpret_cast<std::uintptr_t>(memory.data());
      for (end = begin; end < memory.size() && page_of(end) == page_of(begin); ++end)
        is_out = is_out && is_left_out(end);
      is_out = is_out && (end - begin) * sizeof(Word) == 4096;
      if (is_out) ++zeros;
      for (std::size_t i = begin; i < end; ++i)
        require(memory[i] == (is_out ? 0 : whole[i]),
                is_out ? "what is left out is zero" : "what lies around it is there");
    }
    require(zeros > memory.size_bytes() / 4096 - 8, "pages are left out");
  }
  void require_kept() {
    require(are_filled(kept_, 200 + me_) && are_filled(taken_back_, 300 + me_),
            "all else is there");
  }

  const int me_;
  decltype(std::declval<World&>().allocate<Word>(1)) piece_;
  std::vector<Word> own_, kept_, taken_back_;
};

void saves(World& world, bool increments) {
  Memory memory(world);
  const armature::ProcessId next((armature::process_of(world.rank()).number() + 1) %
                                 armature::hosting_processes());
  armature::migrate_together(next);  // the ranges go along
  if (increments) {
    armature::checkpoint({.incremental = true});
    memory.require_all();
  }
  const bool is_restarted = armature::checkpoint({.incremental = increments});
  if (!is_restarted) {
    memory.require_all();
    world.barrier();
    _exit(77);
  }
  memory.require_without();
  world.barrier();
  if (world.rank() == 0) std::puts("all is as it should be");
}

void recovers(World& world) {
  Memory memory(world);
  world.barrier();
  if (!armature::checkpoint_in_memory()) {
    memory.require_all();
    world.barrier();
    if (world.rank() == 0) kill(getpid(), SIGKILL);
    world.barrier();
    return;
  }
  memory.require_without();
  world.barrier();
  if (world.rank() == world.size() - 1) std::puts("all is as it should be");
}

template <class Call>
void require_refusal(Call call, const std::string& words_of_it) {
  try {
    call();
  } catch (const armature::Error& error) {
    require(std::string(error.what()).find(words_of_it) != std::string::npos, error.what());
    return;
  }
  require(false, ("it was not refused: " + words_of_it).c_str());
}

void is_refused(World& world) {
  Word of_stack[8] = {};
  static Word global[8];
  std::vector<Word> own(100);
  const auto piece = world.allocate<Word>(8);
  const int other = (world.rank() + 1) % world.size();
  const std::string outside = "are not all in the rank's memory";
  require_refusal([&] { armature::checkpoint_skip(of_stack); }, "are on the rank's stack");
  require_refusal([&] { armature::checkpoint_skip(global); }, outside);
  require_refusal([&] { armature::checkpoint_skip({piece.on(other).address(), 8}); }, outside);
  require_refusal([&] { armature::checkpoint_skip({own.data(), SIZE_MAX / 2}); }, outside);
  require_refusal([&] { armature::checkpoint_keep(global); }, "checkpoint_keep: 64 bytes at");
  require_refusal(
      [&] {
        armature::checkpoint_only(std::span(own).first(50), {std::span(own).subspan(40, 20)});
      },
      "160 bytes at");
  if (world.rank() == 0) std::puts("all is as it should be");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  return armature::run(argc, argv, [&](World& world) {
    if (what == "saves") saves(world, false);
    if (what == "saves_increments") saves(world, true);
    if (what == "recovers") recovers(world);
    if (what == "is_refused") is_refused(world);
  });
}
