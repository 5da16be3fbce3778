#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/layer/program.hpp"
#include "armature/world.hpp"

namespace armature {

namespace detail {
using Body = int (*)(void* callable, World& world);
ARMATURE_API int run(int argc, char** argv, Body body, void* callable);

/// A function is the rank's own one, where it has a copy of the program.
template <class Body>
decltype(auto) own_body(Body& body) {
  if constexpr (std::is_function_v<std::remove_pointer_t<std::remove_cv_t<Body>>>)
    return layer::own(+body);
  else
    return (body);
}
}  // namespace detail

/// Runs `body(world)` on every rank of the job and returns its result (0 when it returns nothing).
/// Joins the job that `armature run` started; a program started by itself is a job of one rank.
/// Returns after all ranks have finished. An exception that leaves `body` ends the job, its message
/// first. Throws Error(start) when there is a job that cannot be joined. If a process hosts several
/// ranks (`armature run --threads`), each calls `body` on a thread of its own, the first on the
/// caller's. Those ranks share what the calls have in common: what `body` refers to, globals,
/// statics. With `armature run --virtual --private-globals=on` each rank has globals and statics of
/// its own, which begin as the program's do: what main has given them before, ranks do not see.
/// run() then returns the first of their results that is not 0, in the order of ranks.
template <class Body>
requires std::invocable<Body&, World&>
int run(int argc, char** argv, Body&& body) {
  auto call = [&body](World& world) -> int {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, World&>>) {
      detail::own_body(body)(world);
      return 0;
    } else {
      return detail::own_body(body)(world);
    }
  };
  return detail::run(
      argc, argv,
      [](void* callable, World& world) { return (*static_cast<decltype(call)*>(callable))(world); },
      &call);
}

/// Join the job, and leave it (collective), for libraries and language run-times that do not own
/// main. Between the two every call works as inside run(). Once left, a job cannot be joined again.
/// init is idempotent. It throws Error(start) in a process that is to host several ranks: only
/// run() can host them.
ARMATURE_API World& init();
ARMATURE_API void finalize();
/// True when the calling thread runs a rank. In a process of one rank, all its threads count as
/// that rank.
[[nodiscard]] ARMATURE_API bool initialized();
/// The world of this rank. Throws Error(misuse) outside run() and init() .. finalize().
[[nodiscard]] ARMATURE_API World& world();

/// Ends the whole job, this rank's message first; the launcher returns `status` (1 when 0).
[[noreturn]] ARMATURE_API void abort(int status, std::string_view message);
/// Ends the whole job as abort() does, though nothing has failed: `armature run` returns 0. Other
/// launchers end a job for a failure alone, and are told 1.
[[noreturn]] ARMATURE_API void end_job(std::string_view message);

}  // namespace armature
