#include "races/races.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "races/clocks.hpp"
#include "races/shadow.hpp"
#include "races/sites.hpp"

namespace armature::races {
namespace {

/// The region, locked while this lives. Nobody looks any more where a process has died in the
/// middle.
class Locked {
 public:
  explicit Locked(Region& region) : region_(region) {
    constexpr int turns_max = 20'000;  // of 100 us
    int turns = 0;
    has_it_ = region.mutex.lock([&] { return ++turns > turns_max || region.is_off != 0; });
    if (!has_it_ && region.is_off.exchange(1) == 0)
      std::fputs(
          "armature: nobody looks for unordered accesses from now on: what is known of them was "
          "locked for 2 s, by a process that has died, or does not run\n",
          stderr);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (has_it_) region_.mutex.unlock();
  }
  [[nodiscard]] bool works() const { return has_it_ && region_.is_off == 0; }

 private:
  Region& region_;
  bool has_it_;
};

/// Calls act(clocks, region), if somebody looks.
template <class Act>
void with_clocks(Act&& act) {
  Region* const here = region();
  if (here == nullptr) return;
  const Locked locked(*here);
  if (!locked.works()) return;
  Clocks clocks(*here);
  act(clocks, *here);
}

/// The address in a segment.
std::uint64_t address_of(const void* given) {
  const Looking& looking = base::state<Looking>();
  const auto address = reinterpret_cast<std::uintptr_t>(given);
  const std::uintptr_t offset = address - looking.variables;
  return offset < looking.variables_bytes ? looking.in_segment + offset : address;
}

/// That access tells a rank of these. An atomic tells of no put: those two must be ordered.
Shadow::By learns_by(const Region& region, const Access& access) {
  const bool hears_of_puts = region.is_strict == 0 && access.kind == Kind::read;
  return hears_of_puts ? Shadow::By::atomics_and_words : Shadow::By::atomics;
}

bool is_word(const Access& access) { return access.bytes <= 8; }

/// Whether others tell by the word that it has seen.
bool learns(const Access& access) {
  return access.kind == Kind::atomic || (access.kind == Kind::read && is_word(access));
}

Site site_of(const Access& access) {
  if (access.site != nullptr) return *access.site;
  return access.place != nullptr ? site_at(access.place, access.call) : site_of_caller(access.call);
}

Entry entry_of(int me, const Access& access) {
  const std::uint64_t begin = address_of(access.begin);
  Entry entry;
  entry.begin = begin;
  entry.end = begin + access.bytes;
  entry.rank = static_cast<std::int16_t>(me);
  entry.target = static_cast<std::int16_t>(access.target);
  entry.kind = access.kind;
  entry.is_later = access.is_later;
  return entry;
}

/// "a put", "an atomic" (of the call's own name).
std::string named(const Site& site) {
  const std::string call = site.call.data();
  const bool has_vowel = !call.empty() && std::string("aeiou").find(call[0]) != std::string::npos;
  return (has_vowel ? "an " : "a ") + call;
}

std::string why(Clocks::Order order, int rank) {
  switch (order) {
    case Clocks::Order::put_not_complete:
      return fmt::format("rank {} has not completed it by a fence or a barrier (OpenSHMEM: quiet)",
                         rank);
    case Clocks::Order::put_not_awaited:
      return fmt::format("rank {} has not waited for it", rank);
    default:
      return "no barrier, signal, message, lock or other word that is waited for orders them";
  }
}

[[noreturn]] void refuse(int me, const Access& access, const Site& site,
                         const Shadow::Conflict& found, const Site& other) {
  base::fail(
      Errc::misuse,
      fmt::format("{}: unordered accesses: {} bytes at {} of rank {}, here at {}, and in {} of "
                  "rank {} at {}: {}",
                  access.call, access.bytes, access.begin, access.target, place_text(me, site),
                  named(other), found.entry.rank, place_text(found.entry.rank, other),
                  why(found.order, found.entry.rank)));
}

}  // namespace

void prepare(void* memory, std::uint32_t ranks) { static_cast<Region*>(memory)->ranks = ranks; }

void open(void* memory, int me) {
  auto* const region = static_cast<Region*>(memory);
  region->clock(me)[me] = 1;
  base::note_extra();
  base::state<Looking>().region.store(region, std::memory_order_release);
}

void look_in(Region& region) {
  Looking& looking = base::state<Looking>();
  if (looking.region.load(std::memory_order_relaxed) != nullptr || region.is_off != 0) return;
  base::note_extra();
  looking.region.store(&region, std::memory_order_release);
}

void close() {
  if (Region* const here = region()) here->is_off = 1;
  base::state<Looking>().region.store(nullptr, std::memory_order_release);
}

void add_variables(const void* begin, std::size_t bytes, const void* in_segment) {
  Looking& looking = base::state<Looking>();
  looking.variables = reinterpret_cast<std::uintptr_t>(begin);
  looking.in_segment = reinterpret_cast<std::uintptr_t>(in_segment);
  looking.variables_bytes = bytes;
}

std::uint32_t access(int me, const Access& access) {
  Region* const here = region();
  if (here == nullptr || here->is_off != 0 || access.bytes == 0) return 0;
  const Site site = site_of(access);
  Shadow::Conflict conflict;
  Site other;
  {
    const Locked locked(*here);
    if (!locked.works()) return 0;
    Clocks clocks(*here);
    Shadow shadow(*here);
    Entry entry = entry_of(me, access);
    if (const auto found = shadow.conflict(entry)) {
      conflict = *found;
      other = here->site(conflict.entry.site);
    } else {
      const bool is_put = access.kind == Kind::write && !access.is_complete;
      if (learns(access)) shadow.hear_of_word(me, entry.begin, entry.end, learns_by(*here, access));
      if (here->is_strict == 0 && is_word(access) && access.kind != Kind::read)
        clocks.fence(me, access.target);
      if (is_put) entry.put = clocks.begin_put(me, access.is_later);
      entry.epoch = clocks.epoch(me);
      entry.site = keep(*here, site);
      entry.sequence = ++here->sequence;
      shadow.add(entry);
      // A plain store tells nobody, and may be one of very many.
      if (access.kind != Kind::read && access.place == nullptr) clocks.advance(me);
      return entry.put;
    }
  }
  refuse(me, access, site, conflict, other);
}

void has_seen(int me, const Access& access) {
  if (!learns(access) || access.bytes == 0) return;
  with_clocks([&](Clocks&, Region& region) {
    const std::uint64_t begin = address_of(access.begin);
    Shadow(region).hear_of_word(me, begin, begin + access.bytes, learns_by(region, access));
  });
}

void awaited(int me, std::uint32_t put) {
  with_clocks([&](Clocks& clocks, Region&) { clocks.end_later_put(me, put); });
}

void fence(int me, int target) {
  with_clocks([&](Clocks& clocks, Region&) { clocks.fence(me, target); });
}

void tell(int me, int target, const void* word, const char* call) {
  (void)access(me,
               {.target = target, .begin = word, .bytes = 1, .kind = Kind::order, .call = call});
}

void hear_of(int me, const void* word, std::size_t bytes) {
  with_clocks([&](Clocks&, Region& region) {
    const std::uint64_t begin = address_of(word);
    Shadow(region).hear_of_word(me, begin, begin + bytes, Shadow::By::all);
  });
}

void hear_from(int me, int other) {
  with_clocks([&](Clocks& clocks, Region&) {
    other < 0 ? clocks.hear_from_all(me) : clocks.hear_from(me, other);
  });
}

void enter(int me, std::uint64_t team, std::uint64_t round, bool completes_puts) {
  with_clocks([&](Clocks& clocks, Region& region) {
    if (completes_puts && region.part(me).keeps_puts == 0) clocks.fence(me, -1);
    clocks.enter(me, team, round);
  });
}

void leave(int me, std::uint64_t team, std::uint64_t round, std::span<const std::int32_t> members) {
  with_clocks([&](Clocks& clocks, Region&) { clocks.leave(me, team, round, members); });
}

void order_strictly() {
  if (Region* const here = region()) here->is_strict = 1;
}

void keep_puts(int me, bool keeps) {
  if (Region* const here = region()) here->part(me).keeps_puts += keeps ? 1u : -1u;
}

}  // namespace armature::races
