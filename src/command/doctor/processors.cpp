#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/doctor/checks.hpp"
#include "topology/cgroup.hpp"
#include "topology/cores.hpp"

// Processors, and what ranks need in order to wait: clocks, futexes, membarrier.

namespace armature::command {

void check_processors(Findings& findings) {
  const auto online = sysconf(_SC_NPROCESSORS_ONLN);
  const auto allowed = topology::allowed_processors().size();
  const int usable = topology::usable_cores();
  Finding cores{"cores", Health::good, fmt::format("{} usable of {} online", usable, online), ""};
  if (usable < 2) {
    cores.health = Health::weak;
    cores.remedy =
        "all ranks will share one core: widen the affinity mask (taskset) or the container's "
        "cpuset";
  }
  findings.push_back(cores);

  if (const auto quota = topology::cgroup_limits().cpus) {
    Finding limit{"CPU quota", Health::good,
                  fmt::format("{:.2f} cores' time of the control group", *quota), ""};
    if (*quota < static_cast<double>(allowed)) {
      limit.health = Health::weak;
      limit.remedy = fmt::format(
          "ranks beyond {} are halted in turn: raise cpu.max (docker --cpus), or start no more",
          usable);
    }
    findings.push_back(limit);
  }
}

void check_waiting(Findings& findings) {
  std::atomic<std::uint32_t> word{1};
  const bool futex = syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0) != 0 &&
                     errno == EAGAIN && sched_yield() == 0;
  findings.push_back({"futex, sched_yield", futex ? Health::good : Health::bad,
                      futex ? "work" : "refused",
                      futex ? "" : "the sandbox (seccomp) must allow futex and sched_yield"});

  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  const bool membarrier = commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0;
  findings.push_back(
      {"membarrier", membarrier ? Health::good : Health::weak, membarrier ? "works" : "not there",
       membarrier ? ""
                  : "sleeping ranks look up every millisecond; allow membarrier in the sandbox"});

  constexpr int calls = 1000;
  const std::uint64_t before_ns = base::now_ns();
  for (int i = 0; i < calls; ++i) static_cast<void>(base::now_ns());
  const auto call_ns = (base::now_ns() - before_ns) / calls;
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  const bool fast = call_ns < 200;
  findings.push_back(
      {"clock", fast ? Health::good : Health::weak,
       fmt::format("{}, {} ns a look", source.empty() ? "unknown source" : source, call_ns),
       fast ? ""
            : "looking at the clock costs a system call: a clock source like tsc or kvm-clock "
              "would not (kernel option clocksource=tsc)"});
}

}  // namespace armature::command
