// A process of virtual ranks that was killed from outside takes with it what its ranks had on the
// processor, but not their memory, which is the node's. So all ranks go back to the last checkpoint
// in memory, in the processes that are left; see virtual/checkpoint/regroup.cpp. A rank that ends
// itself, by an exception or a crash of its own, would do so again: that ends the job.
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "bootstrap/launcher/console.hpp"
#include "bootstrap/launcher/running_job.hpp"
#include "progress/processes.hpp"

namespace armature::bootstrap {

/// Empty when it can.
std::string RunningJob::why_not_recover(const Process& process) const {
  const space::ControlHeader& job = control_.header();
  if (!job.all_have_joined() || job.halt.copy.load(std::memory_order_acquire) == 0)
    return "there is no checkpoint in memory yet";
  if (job.through.load(std::memory_order_acquire) >= job.ranks) return "all ranks have ended";
  for (const int other : hosting())
    if (&processes_[static_cast<std::size_t>(other)] != &process) return "";
  return "no process is left";
}

void RunningJob::recover(Process& process, const std::string& who, const Ending& ending) {
  if (const std::string why = why_not_recover(process); !why.empty()) {
    report(who,
           {ending.status, false,
            fmt::format("{}, and the job cannot go on without it: {}", ending.how, why)},
           "");
    return lose(process, ending);
  }
  process.lost = true;
  recovering_since_ns_ = base::now_ns();
  const auto place = static_cast<int>(&process - processes_.data());
  control_.process(place).step.store(progress::runs_no_more, std::memory_order_release);
  regroup(space::Regroup::go_back, {place}, {});
  const space::Halt& halt = control_.header().halt;
  labels_.pass_on();
  const auto age_ns = base::now_ns() - halt.copied_ns.load(std::memory_order_relaxed);
  say(fmt::format("{} {}: all ranks go back to the checkpoint in memory of {:.3f} s ago", who,
                  ending.how, static_cast<double>(age_ns) * 1e-9));
}

void RunningJob::watch_recovery() {
  const space::Halt& halt = control_.header().halt;
  if (recovering_since_ns_ == 0 || halt.regrouped.load(std::memory_order_acquire) !=
                                       halt.regroup.load(std::memory_order_relaxed))
    return;
  const auto took_ns = base::now_ns() - std::exchange(recovering_since_ns_, 0);
  if (options_.verbose)
    say(fmt::format("all ranks go on, {:.1f} ms after the death was noticed",
                    static_cast<double>(took_ns) * 1e-6));
}

}  // namespace armature::bootstrap
