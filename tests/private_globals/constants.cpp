// Constants of a rank's copy are mapped where the rank runs, and nowhere else. What others get of
// them must be the constants all the same. Thread-local variables are no place for what comes from
// another node while others run.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives.hpp>
#include <armature/expose.hpp>
#include <armature/locality.hpp>
#include <armature/message.hpp>

#include "job.h"

namespace {

constexpr std::size_t count = 60000;
constexpr std::array<int, count> make_constants() {
  std::array<int, count> made{};
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<int>(i) + 1;
  return made;
}
const std::array<int, count> constants = make_constants();
thread_local std::array<int, 4096> of_thread{};

bool are_good(std::span<const int> got) {
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != constants[i % count]) return false;
  return true;
}

void send_to_next(const armature::World& world) {
  const int me = world.rank(), all = world.size();
  std::vector<int> got(count);
  armature::Handle sent =
      armature::send_async(armature::Rank((me + 1) % all), 1, std::as_bytes(std::span(constants)));
  (void)armature::receive(armature::Rank((me + all - 1) % all), 1,
                          std::as_writable_bytes(std::span(got)));
  sent.wait();
  job_need(are_good(got), "constants in a message");
}

void share(const armature::World& world) {
  const int me = world.rank(), all = world.size();
  std::vector<int> everybodys(count * static_cast<std::size_t>(all));
  armature::gather(world, std::span<const int>(constants), std::span(everybodys), 0);
  job_need(me != 0 || are_good(everybodys), "constants gathered");
  armature::allgather(world, std::span<const int>(constants), std::span(everybodys));
  job_need(are_good(everybodys), "constants of all");
  std::vector<int> got(count);
  // The root's are read alone.
  int* const data = me == 0 ? const_cast<int*>(constants.data()) : got.data();
  armature::broadcast(world, std::span(data, count), 0);
  job_need(me == 0 || are_good(got), "constants of the root");
}

template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
  } catch (const armature::Error& error) {
    return error.code() == armature::Errc::bad_argument;
  }
  return false;
}

void transfer_thread_locals(const armature::World& world) {
  armature::Piece<int> piece = world.allocate<int>(of_thread.size());
  world.barrier();
  const int last = world.size() - 1;
  const bool is_far = !same_node(world.rank(), armature::Rank(last));
  const auto there = piece.on(last);
  job_need(is_refused([&] { armature::get(of_thread.data(), there, of_thread.size()); }) == is_far,
           "thread-local variables as the target of a get");
  job_need(is_refused([&] { armature::put(there, of_thread.data(), of_thread.size()); }) == is_far,
           "thread-local variables as the source of a put");
  world.barrier();
}

void work(armature::World& world) {
  send_to_next(world);
  share(world);
  job_need(is_refused([] { (void)armature::expose(std::span(constants)); }),
           "constants are exposed");
  transfer_thread_locals(world);
  job_well(world.rank());
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, work); }
