#include "command/run/death_reports.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/futex.hpp"
#include "bootstrap/key_value_store.hpp"
#include "command/run/console.hpp"
#include "space/reservations.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

using space::Life;

constexpr int further_deaths_max = 4;

/// Makes everybody on that node look up: a rank may sleep, and wait for the one that has died.
void ring_all(const space::Control& control) {
  if (control.header().ranks_are_virtual != 0) return wait::wake_processes(control);
  for (int rank = 0; rank < static_cast<int>(control.header().ranks); ++rank) {
    std::atomic<std::uint32_t>& notifier = control.slot(rank).notifications;
    notifier.fetch_add(1, std::memory_order_release);
    base::futex_wake(notifier);
  }
}

}  // namespace

void DeathReports::report(const std::string& who, const Ending& ending, const std::string& stack) {
  output_.pass_on();  // what the rank itself has written stands first
  const bool is_verbose = job_.options().verbose;
  const std::string line = fmt::format("{} {}", who, ending.how);
  if (!shutdown_.is_ending()) {
    first_death_ = ending;
    say_headline(line, stack);
    if (!ending.hint.empty()) say(ending.hint);
  } else if (!is_verbose && first_death_ && are_alike(*first_death_, ending)) {
    ++deaths_alike_;
  } else if (is_verbose || ++further_deaths_ <= further_deaths_max) {
    say(line);
  } else if (further_deaths_ == further_deaths_max + 1) {
    say("more ranks have died (--verbose names them all)");
  }
}

bool DeathReports::say_deaths_alike() const {
  if (deaths_alike_ == 0) return false;
  say(fmt::format("{} other rank{} ended with the same (--verbose names them all)", deaths_alike_,
                  deaths_alike_ == 1 ? "" : "s"));
  return true;
}

void DeathReports::lose(LaunchedProcess& process, const Ending& ending) {
  if (std::exchange(process.lost, true)) return;
  shutdown_.fail(ending.status);
  processes_.follow_ranks();
  // Life first: who sees the number of deaths grow looks for the dead.
  // Virtual ranks may have moved: where they are now counts.
  const int number = processes_.number_of(process);
  std::uint32_t lost = 0;
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    space::RankSlot& slot = job_.control().slot(rank);
    if (job_.process_of(rank) != number) continue;
    if (job_.header().ranks_are_virtual != 0 &&
        slot.life.load(std::memory_order_acquire) == Life::finished)
      continue;
    slot.life.store(Life::dead, std::memory_order_release);
    ++lost;
  }
  const space::Control& node = processes_.node_of(process);
  space::Reservations(node).give_up(number);
  node.header().gone.deaths.fetch_add(lost, std::memory_order_release);
  ring_all(node);
  bootstrap::KeyValueStore::lose(store_, number);
  if (job_.options().on_death != space::OnDeath::go_on) shutdown_.end_job();
}

}  // namespace armature::command
