#include "copies/choice.hpp"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "armature/error.hpp"
#include "base/clock.hpp"
#include "copies/trial.hpp"

namespace armature::copies {

using space::CopyChoices;

Wanted wanted_way() {
  const char* const text = std::getenv(copy_variable);
  if (text == nullptr || *text == '\0') return {};
  if (std::string_view(text) == "trial") return {.way = {}, .trial = true};
  return {.way = way_of(text)};
}

std::optional<Way> way_without_trial(const Wanted& wanted, const Processor& processor, Kind kind) {
  if (wanted.way) return wanted.way;
  if (wanted.trial) return std::nullopt;
  const auto known = known_way(processor, kind);
  // The machine may have been told to hide some instructions.
  return known && candidate(*known).is_there() ? known : std::nullopt;
}

std::size_t past_cache_min() {
  // Not sysconf(_SC_LEVEL3_CACHE_SIZE): on AMD it adds up caches that this core does not reach.
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
  std::size_t cache_kibibytes = 0;
  if (!(file >> cache_kibibytes) || cache_kibibytes == 0) cache_kibibytes = 32768;
  return cache_kibibytes * 1024 / 8 * 3;
}

namespace {

/// The environment counts as if it said nothing where it has become senseless since the job began.
Wanted wanted_now() {
  try {
    return wanted_way();
  } catch (const Error&) {
    return {};
  }
}

/// Copies if that is part of the trial, and says so.
Way by_trial(CopyChoices& choices, Kind kind, void* to, const void* from, std::size_t bytes,
             bool& has_copied) {
  const std::uint64_t begin = base::now_of_machine_ns();
  has_copied = kind.size == Size::past_cache;
  const Tried tried = has_copied ? try_past_cache(to, from, bytes) : try_in_cache(kind);
  choices.trials.fetch_add(1, std::memory_order_relaxed);
  choices.bytes_tried.fetch_add(tried.bytes, std::memory_order_relaxed);
  if (!has_copied)
    choices.ns_tried.fetch_add(base::now_of_machine_ns() - begin, std::memory_order_relaxed);
  return tried.way;
}

}  // namespace

void choose_and_copy(CopyChoices& choices, Kind kind, void* to, const void* from, std::size_t bytes,
                     Processor (*processor)()) {
  auto& word = choices.way[kind.number()];
  std::uint8_t state = CopyChoices::open;
  // Looked at first: all ranks read the line, and the word stays so where a rank dies meanwhile.
  if (word.load(std::memory_order_relaxed) != CopyChoices::open ||
      !word.compare_exchange_strong(state, CopyChoices::being_chosen, std::memory_order_relaxed))
    return candidate(usual_way(kind.size == Size::past_cache)).copy(to, from, bytes);
  bool has_copied = false;
  const auto known = way_without_trial(wanted_now(), processor(), kind);
  const Way way = known ? *known : by_trial(choices, kind, to, from, bytes, has_copied);
  word.store(static_cast<std::uint8_t>(CopyChoices::chosen + static_cast<std::uint8_t>(way)),
             std::memory_order_relaxed);
  if (!has_copied) candidate(way).copy(to, from, bytes);
}

}  // namespace armature::copies
