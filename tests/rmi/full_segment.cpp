// A rank whose segment is full to the last byte is reached by ranks of other nodes as by those of
// its own. It is tried with calls, messages, transfers, notifications and collectives, none of
// which it has used before. What needs memory of its own is an error at who asks for it, never its
// end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives_async.hpp>
#include <armature/rank_local.hpp>
#include <armature/rmi.hpp>

namespace {

using armature::Errc;
using armature::World;

constexpr int full = 0;
constexpr Errc none = Errc::misuse;  // in the place of an error
armature::rank_local<int> called;

int twice(int number) { return 2 * number; }
void note(int number) { *called += number; }
std::size_t count(const std::vector<std::byte>& bytes) { return bytes.size(); }
std::vector<int> many(int number) { return std::vector<int>(1 << 18, number); }

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

std::vector<armature::global_ptr<std::byte>> take_all(World& world) {
  std::vector<armature::global_ptr<std::byte>> taken;
  for (std::size_t bytes = std::size_t{32} << 20; bytes > 0;) try {
      taken.push_back(world.allocate_local<std::byte>(bytes));
    } catch (const armature::Error& error) {
      require(error.code() == Errc::out_of_memory, "an error that is none of memory");
      bytes /= 2;
    }
  return taken;
}

template <class F>
Errc code_of(F f) {
  try {
    f();
  } catch (const armature::Error& error) {
    return error.code();
  }
  return none;
}

void calls(World& world) {
  if (world.rank() != full) {
    require(armature::sync(full, twice, 21) == 42, "the answer to a call");
    armature::async(full, note, 1);
    // The bytes are read in place on the rank's node.
    const Errc code = code_of([] {
      const std::vector<std::byte> bytes(1 << 20);
      require(armature::sync(full, count, bytes) == bytes.size(), "long arguments are short");
    });
    require(code == Errc::out_of_memory || code == none, "another error");
    require(code_of([] { (void)armature::sync(full, many, 1); }) == Errc::out_of_memory,
            "a long answer has come");
  }
  armature::rmi_fence();
  require(*called == (world.rank() == full ? world.size() - 1 : 0), "calls without an answer");
}

void messages(World& world) {
  int number = world.rank();
  if (number != full) return armature::send(full, 7, std::as_bytes(std::span(&number, 1)));
  int sum = 0;
  for (int i = 1; i < world.size(); ++i) {
    (void)armature::receive(i, 7, std::as_writable_bytes(std::span(&number, 1)));
    sum += number;
  }
  require(sum == world.size() * (world.size() - 1) / 2, "messages");
}

void transfers(World& world, armature::global_ptr<std::int64_t> at) {
  if (world.rank() == 1) {
    std::vector<std::int64_t> values(8192, 5), back(8192);
    armature::put(at, values);
    armature::fence(full);
    armature::get(back, at);
    require(back == values, "a put and a get");
    armature::notify(full);
  }
  if (world.rank() == full) armature::wait_notify(1);
}

void collectives(World& world) {
  for (const std::size_t size : {1u, 100000u}) {
    std::vector<std::int64_t> values(size, world.rank());
    broadcast(world, std::span(values), 1);
    require(values.back() == 1, "a broadcast");
    allreduce(world, std::span(values), std::plus<>());
    require(values.back() == world.size(), "a reduction");
    reduce(world, std::span(values), full, std::plus<>());
    const int members = world.rank() == full ? world.size() : 1;
    require(values.back() == world.size() * members, "a reduction to one");
    std::ranges::fill(values, 1);
    scan(world, std::span(values), std::plus<>());
    require(values.back() == world.rank() + 1, "a scan");
  }
}

/// Right at a member, or out of memory there: nobody waits for ever.
void collectives_that_return_at_once(World& world) {
  const auto size = static_cast<std::size_t>(world.size());
  const auto members = static_cast<std::int64_t>(size);
  bool has_failed = false;
  const auto finish = [&](auto start, auto is_right, const char* what) {
    const Errc code = code_of([&] { start().wait(); });
    has_failed = code == Errc::out_of_memory;
    require(has_failed || (code == none && is_right()), what);
  };
  for (const std::size_t each : {1u, 100000u}) {
    std::vector<std::int64_t> values(each, 1), all(each * size), from(each * size, world.rank());
    finish([&] { return armature::barrier_async(world); }, [] { return true; }, "a barrier");
    finish([&] { return armature::allreduce_async(world, std::span(values), std::plus<>()); },
           [&] { return values.back() == members; }, "a reduction");
    // The full rank has something for everybody, so it fails at all.
    finish(
        [&] {
          return armature::alltoall_async(world, std::span<const std::int64_t>(from),
                                          std::span(all));
        },
        [&] { return all.front() == 0 && all.back() == members - 1; }, "an exchange");
    require(has_failed, "a rank without memory has told everybody something");
  }
}

/// Members that offer the full rank long blocks, for which it has no memory to ask, do not wait.
void long_exchange_of(const armature::Team& team) {
  const auto size = static_cast<std::size_t>(team.size());
  constexpr std::size_t each = 100'000;
  const std::vector<std::int64_t> from(each * size, team.rank());
  std::vector<std::int64_t> all(each * size);
  require(
      code_of([&] {
        armature::alltoall_async(team, std::span<const std::int64_t>(from), std::span(all)).wait();
      }) == Errc::out_of_memory,
      "a long exchange");
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    std::vector<armature::global_ptr<std::byte>> taken;
    const auto shared = world.allocate<std::int64_t>(8192);
    const bool is_first_of_node =
        world.rank() == 0 || !armature::same_node(world.rank() - 1, world.rank());
    const armature::Team one_of_each_node = world.split(is_first_of_node ? 0 : 1, world.rank());
    if (world.rank() == full) taken = take_all(world);
    world.barrier();
    calls(world);
    messages(world);
    transfers(world, shared.on(full));
    collectives(world);
    if (is_first_of_node && one_of_each_node.size() > 1) long_exchange_of(one_of_each_node);
    collectives_that_return_at_once(world);
    collectives(world);
    world.barrier();
    for (const auto& piece : taken) world.free_local(piece);
    world.barrier();
    require(armature::sync(full, count, std::vector<std::byte>(1 << 20)) == 1 << 20,
            "memory again");
    const armature::Team again = world.duplicate();
    std::vector<std::int64_t> values(100000, 1);
    armature::allreduce_async(again, std::span(values), std::plus<>()).wait();
    require(values.back() == world.size(), "another team");
  });
}
