#include "command/run/shutdown.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include "base/clock.hpp"
#include "base/process_stat.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t grace_ns = 300'000'000;  // between SIGTERM and SIGKILL

}  // namespace

bool ends_programs(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

void Shutdown::fail(int status) {
  if (!failure_) failure_ = status;
}

void Shutdown::end_job() {
  if (std::exchange(ending_, true)) return;
  ask_to_end();
  signal_processes(SIGTERM);
  kill_soon();
}

void Shutdown::kill_job() {
  ending_ = true;
  signal_processes(SIGKILL);
}

void Shutdown::signal_processes(int signal) {
  has_killed_ = has_killed_ || signal == SIGKILL;
  std::vector<pid_t> ours;
  for (const LaunchedProcess& process : processes_.all()) {
    if (!process.alive) continue;
    // The process ends by itself. SIGKILL would cut its core file short.
    if (signal == SIGKILL && base::writes_core_file(process.pid)) continue;
    const pid_t behind = processes_.joined_behind(process, ours);
    if (behind > 0) kill(behind, signal);
    if (behind <= 0 || signal == SIGKILL) kill(process.pid, signal);
  }
}

void Shutdown::pass_on(int signal, bool is_known_to_them) {
  if (ends_programs(signal)) ask_to_end();
  if (!is_known_to_them) signal_processes(signal);
  if (ends_programs(signal)) passed_on_ = signal;
}

/// Called before they get the signal for it.
void Shutdown::ask_to_end() const {
  for (const space::Control& control : job_.nodes())
    control.header().launcher.ends_all.store(1, std::memory_order_release);
}

void Shutdown::kill_soon() { kill_at_ns_ = base::now_ns() + grace_ns; }

void Shutdown::kill_when_due() {
  if (kill_at_ns_ == 0 || base::now_ns() < kill_at_ns_) return;
  if (passed_on_ != 0) passed_on_ = SIGKILL;
  signal_processes(SIGKILL);
  kill_at_ns_ = 0;
}

void Shutdown::await_orphans() const {
  constexpr timespec pause{0, 2'000'000};
  const auto are_left = [&] {
    std::vector<pid_t> ours;
    return std::ranges::any_of(processes_.all(), [&](const LaunchedProcess& process) {
      return processes_.joined_behind(process, ours) > 0;
    });
  };
  for (const std::uint64_t until_ns = base::now_ns() + grace_ns;
       base::now_ns() < until_ns && are_left();)
    nanosleep(&pause, nullptr);
}

}  // namespace armature::command
