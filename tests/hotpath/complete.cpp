// An operation that is complete when it begins allocates nothing until its end: neither itself, nor
// waiting for it, nor what is made of it. Counted.
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include <armature/armature.hpp>

#include "counting_malloc.hpp"

namespace {

using armature::future;
using armature::Handle;
using armature::World;

int failures = 0;

template <class Operation>
void expect_none(const char* name, Operation operation) {
  const long before = allocations;
  const bool is_right = operation();
  const long more = allocations - before;
  std::printf("%s: %ld allocations%s\n", name, more, is_right ? "" : ", and a wrong result");
  failures += more != 0 || !is_right ? 1 : 0;
}

struct Memory {
  explicit Memory(World& world)
      : numbers(world.allocate<long>(1 << 16)),
        source(1 << 16, 7),
        counter(world.allocate<long>(1)) {}
  [[nodiscard]] Handle put() const { return armature::put_async(numbers.on(0), source); }
  [[nodiscard]] future<long> add() const { return armature::fetch_add_async(counter.on(0), 1L); }

  armature::Piece<long> numbers;
  std::vector<long> source;
  armature::Piece<long> counter;
};

/// The coroutine's own frame is allocated, before what is counted.
future<void> awaits(const Memory& memory) {
  const long before = allocations;
  Handle put = memory.put();
  co_await put;
  co_await memory.put();
  const long found = co_await memory.add();
  const auto [nothing, added] = co_await when_all(memory.put(), memory.add());
  const long more = allocations - before;
  std::printf("co_await: %ld allocations\n", more);
  failures += more != 0 || added != found + 1 ? 1 : 0;
}

int body(World& world) {
  const Memory memory(world);
  armature::fetch_add(memory.counter.on(0), 1L);
  if (allocations == 0) return std::puts("allocations are not counted"), 1;
  expect_none("wait of a put", [&] { return memory.put().wait(), true; });
  expect_none("a future of a put", [&] {
    future<void> put = memory.put();
    return put.test() && (put.get(), !put.valid());
  });
  expect_none("get of an atomic", [&] { return memory.add().get() > 0; });
  expect_none("all atomics", [&] {
    const auto at = memory.counter.on(0);
    return armature::fetch_or_async(at, 0L).get() == armature::fetch_and_async(at, -1L).get() &&
           armature::fetch_xor_async(at, 0L).get() == armature::swap_async(at, 40L).get() &&
           armature::compare_swap_async(at, 40L, 50L).get() == 40;
  });
  expect_none("then", [&] {
    const long found = memory.add().get();
    return memory.add()
                   .then([](long n) { return n + 1; })
                   .then([](long n) { return 2 * n; })
                   .get() == 2 * (found + 2) &&
           memory.put().then([] { return 3; }).get() == 3;
  });
  expect_none("when_all", [&] {
    future<long> first = memory.add(), second = memory.add();
    const auto all =
        when_all(memory.put(), std::move(first), std::move(second), memory.put()).get();
    return std::get<2>(all) == std::get<1>(all) + 1;
  });
  expect_none("when_any", [&] {
    auto any = when_any(memory.put(), memory.add()).get();
    return any.index == 0 && std::get<1>(any.futures).get() > 0;
  });
  expect_none("sets", [&] {
    Handle handles[] = {memory.put(), memory.put()};
    future<long> futures[] = {memory.add(), memory.add()};
    std::size_t which[2];
    wait_all(handles);
    wait_all(futures);
    return wait_any(futures) == 0 && wait_some(futures, which) == 2 &&
           wait_some(handles, which) == 2;
  });
  awaits(memory).get();
  if (failures == 0) std::puts("what is complete allocates nothing");
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
