#include "net/server_way.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::net {
namespace {

constexpr int cores_min = 4;

ServerChoice by_cores(int threads, int cores) {
  if (cores < cores_min)
    return {ServerWay::sleeps,
            fmt::format("it polls by itself from {} cores on, here are {}", cores_min, cores)};
  if (threads > cores)
    return {ServerWay::sleeps, fmt::format("{} threads of the job share {} cores", threads, cores)};
  return {ServerWay::polls, fmt::format("{} threads of the job have {} cores", threads, cores)};
}

}  // namespace

ServerChoice choose_server(int threads, int cores) {
  const char* const text = std::getenv(server_variable);
  const std::string_view word = text != nullptr ? text : "auto";
  if (word == "auto") return by_cores(threads, cores);
  const std::string why = fmt::format("{} says so", server_variable);
  if (word == "poll") return {ServerWay::polls, why};
  if (word == "sleep") return {ServerWay::sleeps, why};
  base::fail(Errc::start,
             fmt::format("{} is {}: it may be sleep, poll or auto", server_variable, word));
}

}  // namespace armature::net
