// Kernels whose time is predicted: timed KERNEL [REPEATS] [BYTES] [COMPUTED SECONDS] [unaligned].
// Each begins at all ranks at once, unless that is said, and checks its results. Prints the time of
// one repeat in nanoseconds, of the slowest rank.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/clock.hpp>
#include <armature/collectives_async.hpp>
#include <armature/compute.hpp>
#include <armature/operators.hpp>

namespace {

using armature::Rank;
using armature::World;

struct Settings {
  std::string kernel;
  int repeats = 10;
  std::size_t bytes = 8;
  double computed_s = 0;
};

int failures = 0;
bool aligned = true;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "timed: %s does not hold\n", what);
  ++failures;
}

std::size_t words(const Settings& settings) { return std::max<std::size_t>(settings.bytes / 8, 1); }

/// Returns the time, which is the same at all ranks of a simulation.
std::uint64_t begin_together(World& world) {
  if (!aligned) {
    world.barrier();
    return armature::clock_ns();
  }
  const std::uint64_t latest = allreduce(world, armature::clock_ns(), armature::Maximum{});
  constexpr std::uint64_t enough_ns = 1'000'000'000;
  armature::compute(static_cast<double>(latest + enough_ns - armature::clock_ns()) * 1e-9);
  return armature::clock_ns();
}

/// Each rank puts to both neighbours and tells them, computes, and waits for theirs.
std::uint64_t halo(World& world, const Settings& settings) {
  const std::size_t count = words(settings);
  auto piece = world.allocate<double>(4 * count);
  const int me = world.rank(), size = world.size();
  const int left = (me + size - 1) % size, right = (me + 1) % size;
  const auto begun = begin_together(world);
  for (int step = 0; step < settings.repeats; ++step) {
    // Two of each, in turn: a neighbour may be one step ahead.
    const std::size_t half = step % 2 == 0 ? 0 : 2 * count;
    const std::vector<double> mine(count, 1000.0 * step + me);
    armature::put(piece.on(right) + static_cast<std::ptrdiff_t>(half), mine);
    armature::notify(Rank(right));
    armature::put(piece.on(left) + static_cast<std::ptrdiff_t>(half + count), mine);
    armature::notify(Rank(left));
    armature::compute(settings.computed_s);
    armature::wait_notify(Rank(left));
    armature::wait_notify(Rank(right));
    expect(piece[half] == 1000.0 * step + left, "halo: the left neighbour's");
    expect(piece[half + 2 * count - 1] == 1000.0 * step + right, "halo: the right neighbour's");
  }
  return begun;
}

std::uint64_t allreduce(World& world, const Settings& settings) {
  const auto begun = begin_together(world);
  for (int i = 0; i < settings.repeats; ++i) {
    armature::compute(settings.computed_s);
    std::vector<double> data(words(settings), world.rank() + 1.0);
    armature::allreduce_async(world, std::span(data)).wait();
    expect(data.back() == 0.5 * world.size() * (world.size() + 1), "allreduce: the sum");
  }
  return begun;
}

std::uint64_t broadcast(World& world, const Settings& settings) {
  const auto begun = begin_together(world);
  for (int i = 0; i < settings.repeats; ++i) {
    std::vector<double> data(words(settings), world.rank() == 0 ? i + 0.5 : 0);
    armature::broadcast_async(world, std::span(data), 0).wait();
    expect(data.back() == i + 0.5, "broadcast: the root's");
  }
  return begun;
}

std::uint64_t alltoall(World& world, const Settings& settings) {
  const auto begun = begin_together(world);
  const std::size_t count = words(settings), size = static_cast<std::size_t>(world.size());
  for (int i = 0; i < settings.repeats; ++i) {
    armature::compute(settings.computed_s);
    const std::vector<double> mine(count * size, world.rank());
    std::vector<double> all(count * size);
    armature::alltoall_async(world, std::span<const double>(mine), std::span(all)).wait();
    for (std::size_t other = 0; other < size; ++other)
      expect(all[other * count] == static_cast<double>(other), "alltoall: everybody's");
  }
  return begun;
}

std::uint64_t gets(World& world, const Settings& settings) {
  auto piece = world.allocate<double>(words(settings));
  for (std::size_t i = 0; i < words(settings); ++i) piece[i] = world.rank();
  const int right = (world.rank() + 1) % world.size();
  std::vector<double> theirs(words(settings));
  const auto begun = begin_together(world);
  for (int i = 0; i < settings.repeats; ++i) {
    armature::get(theirs, piece.on(right));
    expect(theirs.back() == right, "get: the neighbour's");
  }
  return begun;
}

std::uint64_t atomics(World& world, const Settings& settings) {
  auto counter = world.allocate<long>(1);
  auto sums = world.allocate<double>(2);
  const auto begun = begin_together(world);
  const std::vector<double> ones(2, 1.0);
  for (int i = 0; i < settings.repeats; ++i) {
    (void)armature::fetch_add(counter.on(0), 1);
    armature::accumulate(sums.on(0), ones, {.scale = 2.0});
  }
  world.barrier();
  expect(armature::get(counter.on(0)) == long{settings.repeats} * world.size(), "atomics: count");
  expect(armature::get(sums.on(0)) == 2.0 * settings.repeats * world.size(), "accumulate: sum");
  return begun;
}

std::uint64_t calls(World& world, const Settings& settings) {
  const auto begun = begin_together(world);
  const int right = (world.rank() + 1) % world.size();
  for (int i = 0; i < settings.repeats; ++i)
    expect(armature::ask(
               Rank(right), [](int x) { return x + 1; }, i)
                   .get() == i + 1,
           "a call");
  // One-way calls, which the fence waits for.
  static std::map<int, int> executed;
  for (int i = 0; i < settings.repeats; ++i)
    armature::async(
        Rank(right), [](int at) { ++executed[at]; }, right);
  armature::rmi_fence(world);
  expect(executed[world.rank()] == settings.repeats, "calls before the fence");
  return begun;
}

/// Each call leads to a call of each other rank. So ranks keep much for several others, and hold
/// back what comes for a while.
class Spreader {
 public:
  Spreader(int me, int ranks) : me_(me), ranks_(ranks) {}
  void introduce(armature::shared_ref<Spreader> all) { all_ = all; }

  void spread(int depth) {
    ++executed;
    for (int other = 0; depth > 0 && other < ranks_; ++other)
      if (other != me_) all_.async(other, &Spreader::spread, depth - 1);
  }

  long executed = 0;

 private:
  int me_, ranks_;
  armature::shared_ref<Spreader> all_;
};

std::uint64_t spreading(World& world, const Settings& settings) {
  constexpr int depth = 2;
  armature::shared<Spreader> spreader(world, world.rank(), world.size());
  spreader->introduce(spreader.ref());
  const auto begun = begin_together(world);
  for (int i = 0; i < settings.repeats; ++i) spreader->spread(depth);
  armature::rmi_fence();
  const long others = world.size() - 1;
  expect(allreduce(world, spreader->executed) ==
             settings.repeats * world.size() * (1 + others + others * others),
         "spreading: the number of calls");
  return begun;
}

/// Nobody puts the word that rank 0 waits for.
std::uint64_t unheard(World& world, const Settings& /*settings*/) {
  auto word = world.allocate<std::uint64_t>(1);
  word[0] = 0;
  world.barrier();
  if (world.rank() == 0)
    armature::wait_until(word.on(0).address(), armature::Comparison::eq, std::uint64_t{1});
  return begin_together(world);
}

/// One polls for a while, and another one computes for much longer.
std::uint64_t patient(World& world, const Settings& settings) {
  auto word = world.allocate<std::uint64_t>(1);
  word[0] = 0;
  const auto begun = begin_together(world);
  constexpr std::uint64_t polls_ns = 10'000'000;
  while (world.rank() == 0 && armature::clock_ns() - begun < polls_ns)
    (void)armature::test(word.on(0).address(), armature::Comparison::eq, std::uint64_t{1});
  if (world.rank() == 1) armature::compute(settings.computed_s);
  return begun;
}

using Kernels = std::map<std::string, std::function<std::uint64_t(World&, const Settings&)>>;

Kernels all_kernels() {
  return {
      {"halo", halo},
      {"allreduce", allreduce},
      {"broadcast", broadcast},
      {"alltoall", alltoall},
      {"gets", gets},
      {"atomics", atomics},
      {"calls", calls},
      {"spreading", spreading},
      {"uneven",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         armature::compute(world.rank() == 0 ? 10 * s.computed_s : s.computed_s);
         return begun;
       }},
      {"barrier",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         for (int i = 0; i < s.repeats; ++i) barrier_async(world).wait();
         return begun;
       }},
      {"round_barrier",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         for (int i = 0; i < s.repeats; ++i) world.barrier();
         return begun;
       }},
      {"round_allreduce",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         for (int i = 0; i < s.repeats; ++i)
           expect(allreduce(world, 1.0) == world.size(), "allreduce: the number of members");
         return begun;
       }},
      {"round_broadcast",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         for (int i = 0; i < s.repeats; ++i)
           expect(armature::broadcast(world, world.rank() == 0 ? i + 0.5 : 0.0, 0) == i + 0.5,
                  "broadcast: the root's");
         return begun;
       }},
      {"fence",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         for (int i = 0; i < s.repeats; ++i) armature::rmi_fence(world);
         return begun;
       }},
      {"start", [](World&, const Settings&) { return std::uint64_t{0}; }},
      {"unheard", unheard},
      {"patient", patient},
      {"compute",
       [](World& world, const Settings& s) {
         const auto begun = begin_together(world);
         armature::compute(s.computed_s);
         return begun;
       }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings{.kernel = argc > 1 ? argv[1] : ""};
  if (argc > 2) settings.repeats = std::atoi(argv[2]);
  if (argc > 3) settings.bytes = std::strtoull(argv[3], nullptr, 10);
  if (argc > 4) settings.computed_s = std::atof(argv[4]);
  aligned = argc <= 5;
  const Kernels kernels = all_kernels();
  const auto kernel = kernels.find(settings.kernel);
  if (kernel == kernels.end()) {
    std::fprintf(stderr, "timed: there is no kernel '%s'\n", settings.kernel.c_str());
    return 2;
  }
  return armature::run(argc, argv, [&](World& world) {
    const auto begun = kernel->second(world, settings);
    const auto took = static_cast<double>(armature::clock_ns() - begun);
    if (settings.kernel == "start") return failures;
    const double slowest = allreduce(world, took, armature::Maximum{});
    if (world.rank() == 0) std::printf("%.3f\n", slowest / std::max(settings.repeats, 1));
    return failures;
  });
}
