// storm SCENE: much more is called than fits anywhere, and memory must stay within bounds. Each
// rank prints how much memory it had at most; more than the bound ends the job.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "armature/armature.hpp"
#include "armature/rmi.hpp"

namespace {

using armature::shared;
using armature::shared_ref;
using armature::World;
using std::chrono::milliseconds;

constexpr long growth_kib_max = 24 * 1024;
constexpr long long_growth_kib_max = 240 * 1024;  // where 64 MiB may be on their way from each rank

/// The most that this process has had in memory so far, in KiB. Ranks that are threads share it.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + std::strlen("VmHWM:"));
  return 0;
}

void compute_for(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

struct Target {
  void add(long n) { sum += n; }
  void forward(shared_ref<Target> all, int to, long n) { all.async(to, &Target::add, n); }
  /// Goes on and on, round the ranks.
  void circulate(shared_ref<Target> all, int hops) {
    ++sum;
    if (hops > 0) {
      const World& world = armature::world();
      all.async((world.rank() + 1) % world.size(), &Target::circulate, all, hops - 1);
    }
  }
  void take(const std::string& text) { sum += static_cast<long>(text.size()); }
  void forward_text(shared_ref<Target> all, int to, const std::string& text) {
    all.async(to, &Target::take, text);
  }
  void busy(int ms) { compute_for(milliseconds(ms)); }
  long sum = 0;
};

void expect_sum(const World& world, const shared<Target>& target, long expected) {
  armature::rmi_fence();
  const long sum = allreduce(world, target->sum);
  if (sum != expected)
    throw std::runtime_error("a sum of " + std::to_string(sum) + ", not " +
                             std::to_string(expected));
}

/// All ranks call rank 0.
void storm(const World& world, const shared<Target>& target) {
  constexpr int calls = 200'000;
  for (int i = 0; i < calls; ++i) target.async(0, &Target::add, 1L);
  expect_sum(world, target, static_cast<long>(calls) * world.size());
}

/// Everybody floods everybody.
void flood(const World& world, const shared<Target>& target) {
  constexpr int calls = 200'000;
  for (int i = 0; i < calls; ++i) target.async(i % world.size(), &Target::add, 1L);
  expect_sum(world, target, static_cast<long>(calls) * world.size());
}

/// The last rank computes, the one before it forwards to it what the others send.
void forward(const World& world, const shared<Target>& target) {
  constexpr int calls = 1'000'000;
  const int last = world.size() - 1, before = std::max(0, world.size() - 2);
  if (world.rank() == last) compute_for(milliseconds(300));
  if (world.rank() == 0)
    for (int i = 0; i < calls; ++i) target.async(before, &Target::forward, target.ref(), last, 1L);
  expect_sum(world, target, calls);
}

/// Forwards long texts.
void forward_long(const World& world, const shared<Target>& target) {
  constexpr int calls = 3000;
  const int last = world.size() - 1, before = std::max(0, world.size() - 2);
  const std::string text(200'000, 'x');
  if (world.rank() == last) compute_for(milliseconds(300));
  if (world.rank() == 0)
    for (int i = 0; i < calls; ++i)
      target.async(before, &Target::forward_text, target.ref(), last, text);
  expect_sum(world, target, calls * 200'000L);
}

/// Requests that go round while all are full of them.
void circle(const World& world, const shared<Target>& target) {
  constexpr int tokens = 60'000, hops = 20;
  for (int i = 0; i < tokens; ++i)
    target.async((world.rank() + 1) % world.size(), &Target::circulate, target.ref(), hops);
  expect_sum(world, target, static_cast<long>(tokens) * (hops + 1) * world.size());
}

const std::map<std::string, void (*)(const World&, const shared<Target>&)> scenes = {
    {"storm", storm},   {"flood", flood}, {"forward", forward}, {"forward_long", forward_long},
    {"circle", circle},
};

}  // namespace

int main(int argc, char** argv) {
  const auto scene = argc == 2 ? scenes.find(argv[1]) : scenes.end();
  if (scene == scenes.end()) return 2;
  return armature::run(argc, argv, [&](World& world) {
    shared<Target> target(world);
    target.sync((world.rank() + 1) % world.size(), &Target::add, 0L);
    world.barrier();
    const long before = peak_kib();
    const auto start = std::chrono::steady_clock::now();
    scene->second(world, target);
    const long grown = peak_kib() - before;
    const auto took = std::chrono::steady_clock::now() - start;
    std::printf("rank %d: %s: %ld KiB more, %lld ms\n", static_cast<int>(world.rank()), argv[1],
                grown,
                static_cast<long long>(std::chrono::duration_cast<milliseconds>(took).count()));
    const long most =
        std::strstr(argv[1], "long") != nullptr ? long_growth_kib_max : growth_kib_max;
    if (grown > most)
      throw std::runtime_error(std::to_string(grown) + " KiB are more than the bound");
  });
}
