// Accesses of ranks that nothing orders, and the ways in which programs order them.
//   races get | put | words | strided | accumulate | source     one fault each
//   races orders                                                 none
//   races resized WHAT                                           the same in more processes
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

namespace {

using namespace armature;

constexpr int count = 64;

struct Counter {
  void add(int value) { sum += value; }
  int read() const { return sum; }
  int sum = 0;
};

/// Each rank writes to the next one, which reads; told by `order(turn)`, which both call.
template <class Order>
void pass_on(World& world, const Piece<long>& piece, int turn, Order&& order) {
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  const std::vector<long> mine(count, 1000 * turn + world.rank());
  put(piece.on(next), mine);
  order(Rank(next), Rank(before));
  std::vector<long> seen(count);
  get(seen, piece.on(world.rank()));
  if (seen[count - 1] != 1000 * turn + before) std::abort();
  world.barrier();
}

/// Words and bytes are read behind a wait for the word, and by the call behind a put.
void use_words_and_calls(World& world) {
  auto piece = world.allocate<long>(count);
  auto words = world.allocate<std::uint64_t>(8);
  words[3] = 0;
  world.barrier();
  const int next = (world.rank() + 1) % world.size();
  put(words.on(next) + 3, std::uint64_t{1});
  wait_until(words.on(world.rank()).address() + 3, Comparison::eq, std::uint64_t{1});
  if (get(words.on(world.rank()) + 3) != 1) std::abort();
  put(words.on(world.rank()) + 3, std::uint64_t{0});
  world.barrier();
  const std::vector<long> values(count, 8);
  put_then(
      piece.on(next), values,
      [](global_ptr<long> place) {
        std::vector<long> seen(count);
        get(seen, place);
        if (seen[count - 1] != 8) std::abort();
      },
      piece.on(next))
      .wait();
  rmi_fence(world);
  world.barrier();
}

/// Puts of a rank are seen in order: behind a get of the last one, a word, the others are there.
void poll_words(World& world) {
  auto piece = world.allocate<long>(count);
  auto words = world.allocate<std::uint64_t>(2);
  words[0] = words[1] = 0;
  world.barrier();
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  for (std::uint64_t turn = 1; turn <= 3; ++turn) {
    const std::vector<long> mine(count, static_cast<long>(100 * turn) + world.rank());
    put(piece.on(next), mine);
    put(words.on(next), turn);
    while (get(words.on(world.rank())) != turn) rmi_poll();
    std::vector<long> seen(count);
    get(seen, piece.on(world.rank()));
    if (seen[count - 1] != static_cast<long>(100 * turn) + before) std::abort();
    // The next put waits until this one was read.
    put(words.on(before) + 1, turn);
    while (get(words.on(world.rank()) + 1) != turn) rmi_poll();
  }
  world.barrier();
}

void use_all_orders(World& world) {
  auto piece = world.allocate<long>(count);
  auto words = world.allocate<std::uint64_t>(8);
  const Mutexes mutexes = world.create_mutexes(world.rank() == 0 ? 1 : 0);
  auto counter = shared<Counter>(world);
  for (int turn = 1; turn <= 3; ++turn) {
    pass_on(world, piece, turn, [&](Rank, Rank) { world.barrier(); });
    pass_on(world, piece, turn, [&](Rank next, Rank before) {
      notify(next);
      wait_notify(before);
    });
    pass_on(world, piece, turn, [&](Rank next, Rank before) {
      fence(next);
      const int token = turn;
      send(next, 7, std::span(&token, 1));
      int got = 0;
      receive(before, 7, std::span(&got, 1));
    });
    pass_on(world, piece, turn, [&](Rank next, Rank) {
      signal_add(words.on(next), 1);
      wait_until(words.on(world.rank()).address(), Comparison::ge,
                 static_cast<std::uint64_t>(turn));
    });
    pass_on(world, piece, turn, [&](Rank next, Rank) {
      fence(next);
      fetch_add(words.on(next) + 1, 1);
      while (get(words.on(world.rank()) + 1) < static_cast<std::uint64_t>(turn))
        (void)test(words.on(world.rank()).address(), Comparison::lt, std::uint64_t{0});
    });
    pass_on(world, piece, turn, [&](Rank next, Rank) {
      fence_all();
      counter.on(next).async(&Counter::add, 1);
      rmi_fence(world);
    });
    pass_on(world, piece, turn, [&](Rank, Rank) {
      fence_all();
      (void)allreduce(world, 1);
    });
    // Under a lock, all at one place.
    mutexes.lock(0, 0);
    put(words.on(0) + 2, get(words.on(0) + 2) + 1);
    mutexes.unlock(0, 0);
    world.barrier();
    if (get(words.on(0) + 2) != static_cast<std::uint64_t>(turn * world.size())) std::abort();
    world.barrier();
    // Accumulates are ordered by themselves.
    const std::vector<long> ones(count, 1);
    accumulate(piece.on(0), ones);
    world.barrier();
    // A non-blocking one that is waited for.
    std::vector<long> source(count, turn);
    const int next = (world.rank() + 1) % world.size();
    Handle later = put_async(piece.on(next), source);
    later.wait();
    source[0] = 0;
    put_nbi(piece.on(next), source);
    wait_all();
    world.barrier();
  }
}

/// Puts are completed in another process than that in which they began: from now on there are as
/// many as ranks.
void use_more_processes(World& world) {
  auto piece = world.allocate<long>(count);
  pass_on(world, piece, 1, [&](Rank, Rank) {
    if (world.rank() == 0) resize(world.size());
    while (hosting_processes() != world.size()) yield();
    world.barrier();
  });
}

void make_fault(World& world, const std::string& fault) {
  auto piece = world.allocate<long>(count);
  const bool is_first = world.rank() == 0;
  const std::vector<long> values(count, 1);
  std::vector<long> seen(count);
  if (fault == "get") {
    if (is_first) put(piece.on(1), values);
    (void)allreduce(world, 1);
    if (!is_first) get(seen, piece.on(1));
  } else if (fault == "put") {
    put(piece.on(1) + world.rank(), values.data(), 2);
  } else if (fault == "words") {
    is_first ? put(piece.on(1), 5L) : (void)fetch_add(piece.on(1), 1);
  } else if (fault == "strided") {
    if (is_first)
      put_patch(piece.on(1), values.data(),
                {.row_bytes = 16, .rows = 4, .to_stride = 32, .from_stride = 16});
    else
      get(seen.data(), piece.on(1) + 4, 2);
  } else if (fault == "accumulate") {
    is_first ? accumulate(piece.on(1), values) : get(seen, piece.on(1));
  } else if (fault == "source" && is_first) {
    std::vector<long> source(count, 1);
    Handle later = put_async(piece.on(1), source);
    source[5] = 2;
    later.wait();
  }
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](World& world) {
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "resized") {
      use_more_processes(world);
      what = argv[2];
    }
    what == "orders" ? use_all_orders(world) : make_fault(world, what);
    if (what == "orders") use_words_and_calls(world);
    if (what == "orders") poll_words(world);
    return 0;
  });
}
