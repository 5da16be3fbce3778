#include "debian/first_rank.hpp"

#include <cstdio>
#include <exception>

#include <fmt/format.h>

namespace debian {

bool succeeds_at_rank_0(armature::World& world, std::string_view program,
                        const std::function<void()>& action) {
  int done = 1;
  if (world.rank() == 0) {
    try {
      action();
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", program, error.what());
      done = 0;
    }
  }
  return broadcast(world, done, 0) == 1;
}

int say(armature::World& world, const Answer& answer) {
  if (world.rank() == 0) fmt::print(answer.is_error ? stderr : stdout, "{}", answer.message);
  return answer.is_error ? 2 : 0;
}

}  // namespace debian
