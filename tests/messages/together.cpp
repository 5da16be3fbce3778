// Atomics and puts with a call behind them, to another node, begun together. Prints a line for each
// kind: name, how many, when it began and ended, in ns, and how many results are wrong: gathered.py
// looks at what travelled meanwhile.
#include <chrono>
#include <cstdio>
#include <vector>

#include <armature/armature.hpp>

namespace {

constexpr int times = 100;

long long now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Operations>
void run(const char* name, int count, Operations operations) {
  const long long begun = now_ns();
  const int wrong = operations();
  std::printf("%s %d %lld %lld %d\n", name, count, begun, now_ns(), wrong);
}

/// Counts on the target which bytes are there when it is called, and tells rank 0.
struct Counter {
  void came(armature::global_ptr<long> at, long number, std::size_t numbers) {
    for (std::size_t i = 0; i < numbers; ++i) wrong += at.direct()[i] != number ? 1 : 0;
    ++calls;
  }
  [[nodiscard]] int all_wrong(int expected) const { return wrong + (calls != expected ? 1 : 0); }
  int calls = 0, wrong = 0;
};

int body(armature::World& world) {
  auto counter = world.allocate<long>(1);
  auto place = world.allocate<long>(1 << 20);
  armature::shared<Counter> counters(world);
  const auto put_then = [&](std::size_t at, const std::vector<long>& numbers) {
    const auto to = place.on(1) + static_cast<std::ptrdiff_t>(at);
    return armature::put_then(to, numbers.data(), numbers.size(), counters.on(1), &Counter::came,
                              to, numbers[0], numbers.size());
  };
  // All is set up by the first of each.
  if (world.rank() == 0) {
    armature::fetch_add(counter.on(1), 1L);
    put_then(0, std::vector<long>(1, 1)).wait();
    (void)counters.sync(1, &Counter::all_wrong, 1);
    run("blocking", times, [&] {
      int wrong = 0;
      for (int i = 1; i <= times; ++i) wrong += armature::fetch_add(counter.on(1), 1L) != i ? 1 : 0;
      return wrong;
    });
    run("atomics", times, [&] {
      std::vector<armature::future<long>> found;
      for (int i = 0; i < times; ++i) found.push_back(armature::fetch_add_async(counter.on(1), 1L));
      int wrong = 0;
      for (int i = 0; i < times; ++i)
        wrong += found[static_cast<std::size_t>(i)].get() != times + 1 + i ? 1 : 0;
      return wrong;
    });
    const std::vector<long> few(8, 3), many(1 << 15, 4);
    run("put_then", times, [&] {
      for (std::size_t i = 0; i < times; ++i) put_then(8 * i, few).wait();
      return counters.sync(1, &Counter::all_wrong, times + 1);
    });
    run("long_put_then", 10, [&] {
      std::vector<armature::Handle> puts;
      for (std::size_t i = 0; i < 10; ++i) puts.push_back(put_then(i << 15, many));
      armature::wait_all(puts);
      return counters.sync(1, &Counter::all_wrong, times + 11);
    });
  }
  armature::rmi_fence();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
