#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace armature::fibers {

/// Whether the caller is a rank that has its turn. Threads that a rank has started have none to
/// give away.
bool has_turn();

/// Lets others have their turn for so long; 0: once. Where the rank goes on after a checkpoint the
/// clock may stand elsewhere: it sleeps no longer than it wanted to from then on. It may be in
/// another process then, where errno is another variable.
void sleep_here(std::uint64_t duration_ns);

bool is_time(const timespec& time);
/// More than 100 years are 100 years.
std::uint64_t in_ns(std::uint64_t seconds, std::uint64_t ns);
std::uint64_t in_ns(const timespec& time);

std::uint64_t time_by(clockid_t clock);
/// 0: the time has come.
std::uint64_t rest_until(std::uint64_t time_ns, clockid_t clock);

inline constexpr std::uint64_t look_ns = 1'000'000;  // between two looks, at most

/// Lets others have their turn until look() is true, or the time has come: then false. What comes
/// of itself soon is seen soon.
template <class Look>
bool look_until(std::uint64_t time_ns, clockid_t clock, Look look) {
  constexpr int short_ones = 32;
  for (int looks = 0; !look(); ++looks) {
    const std::uint64_t rest_ns = rest_until(time_ns, clock);
    if (rest_ns == 0) return false;
    sleep_here(looks < short_ones ? 0 : std::min(rest_ns, look_ns));
  }
  return true;
}

}  // namespace armature::fibers
