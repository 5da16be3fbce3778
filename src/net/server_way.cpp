#include "net/server_way.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::net {
namespace {

constexpr int cores_min = 4;

/// How many threads the program has for each of its ranks, as far as the user says; 0: unknown.
int threads_of_program() {
  constexpr int most = 1 << 16;
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return 0;
  int count = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, wrong] = std::from_chars(text, end, count);
  return wrong == std::errc() && rest == end && count > 0 && count <= most ? count : 0;
}

ServerChoice by_cores(int threads, int cores) {
  if (cores < cores_min)
    return {ServerWay::sleeps,
            fmt::format("it polls by itself from {} cores on, here are {}", cores_min, cores)};
  const int of_program = threads_of_program();
  if (of_program == 0)
    return {ServerWay::sleeps,
            "OMP_NUM_THREADS does not say how many threads a rank has, which "
            "may need all cores"};
  if (std::int64_t{threads} * of_program > cores)
    return {ServerWay::sleeps,
            fmt::format("{} threads of the job, with {} for each as OMP_NUM_THREADS says, share {} "
                        "cores",
                        threads, of_program, cores)};
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
