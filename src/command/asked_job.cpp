#include "command/asked_job.hpp"

#include <signal.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/process_stat.hpp"
#include "command/run/node_request.hpp"
#include "space/layout.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

/// Whether it is an `armature` as we are, and so may be about to start a job.
bool is_armature(int pid) {
  std::error_code problem;
  const auto theirs = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), problem);
  return !problem && theirs == std::filesystem::read_symlink("/proc/self/exe", problem);
}

/// Also false of one that nobody has waited for yet.
bool runs(int pid) {
  const auto stat = base::process_stat(pid);
  return stat && stat->state != 'Z';
}

int parent_of(int pid) { return base::process_stat(pid).value_or(base::ProcessStat{}).parent; }

/// `armature outlive` stands between a launcher and its process, and starts nothing anew.
bool outlives(int pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::string word;
  std::getline(file, word, '\0');
  return std::getline(file, word, '\0') && word == "outlive";
}

/// Whether it knows what was asked of the job before, from which it goes on.
bool is_complete(const ObservedJob& job) {
  const space::ControlHeader& header = job.control().header();
  return header.launcher.is_there == 0 || header.resize.started.load(std::memory_order_acquire) > 0;
}

/// Finds the job of that command; of several the one that was started last.
std::optional<ObservedJob> look_for_job_of(int pid) {
  std::vector<ObservedJob> jobs = running_jobs();
  const ObservedJob* last = nullptr;
  for (const ObservedJob& job : jobs)
    if (is_complete(job) && (job.has_process(pid) || command_of(job) == pid) &&
        (last == nullptr ||
         job.control().header().started_ns > last->control().header().started_ns))
      last = &job;
  if (last == nullptr) return std::nullopt;
  return std::move(jobs[static_cast<std::size_t>(last - jobs.data())]);
}

}  // namespace

int command_of(const ObservedJob& job) {
  if (job.control().header().launcher.is_there != 0) return job.pid();
  for (int pid = parent_of(job.pid()); pid > 1; pid = parent_of(pid))
    if (is_armature(pid) && !outlives(pid)) return pid;
  return 0;
}

ObservedJob job_of(int pid) {
  constexpr std::uint64_t patience_ns = 10'000'000'000, moment_ns = 500'000'000;
  const std::uint64_t begun_ns = base::now_ns();
  for (;;) {
    const std::uint64_t age_ns = base::now_ns() - begun_ns;
    const bool may_come = age_ns < (is_armature(pid) ? patience_ns : moment_ns);
    if (auto job = look_for_job_of(pid)) return std::move(*job);
    if (!may_come && is_job_of_another_version(pid))
      base::fail(Errc::bad_argument,
                 fmt::format("the job of process {} is of another version of Armature than this "
                             "command: use the one that has started it",
                             pid));
    if (!may_come)
      base::fail(
          Errc::bad_argument,
          fmt::format("process {} is neither the launcher nor a rank of a job that this user "
                      "may look at: armature inspect lists the jobs",
                      pid));
    constexpr timespec interval{0, 10'000'000};
    nanosleep(&interval, nullptr);
  }
}

AskedJob::AskedJob(ObservedJob job, AskedWord word)
    : pid_(command_of(job)),
      has_launcher_(job.control().header().launcher.is_there != 0),
      nodes_(job.control().header().nodes),
      word_(std::move(word)),
      header_(&job.writable().header()) {
  ask();
}

bool AskedJob::is_there() const { return runs(pid_); }

bool AskedJob::is_answered() const {
  return (is_asked_ && wait::is_answered(*header_, request_)) ||
         (is_started_ && header_->all_have_joined());
}

void AskedJob::ask() {
  const auto number = command::ask(*header_, word_);
  is_asked_ = number.has_value();
  if (!is_asked_) return;
  // The launcher looks at once instead of at its next round.
  if (has_launcher_) kill(header_->launcher.pid, SIGCHLD);
  request_ = *number;
}

void AskedJob::follow() {
  if (nodes_ == 1) return;
  const auto job = look_for_job_of(pid_);
  if (!job || job->control().header().started_ns == header_->started_ns) return;
  if (is_answered()) return;  // by the last that the former one has done
  header_ = &job->writable().header();
  // Else its ranks would say so when they meet.
  is_started_ = !has_launcher_ && header_->processes == word_(0, false);
  if (is_started_) return;
  if (has_launcher_) {
    if (!is_asked_) ask();
    return;
  }
  // The new job may have come when nobody looked at the former one any more.
  const auto known = static_cast<std::uint32_t>(header_->resize.wanted.load() >> 32);
  if (static_cast<std::int32_t>(known - request_) < 0) ask();
}

std::string AskedJob::why_it_takes_long() const {
  if (nodes_ == 1)
    return "a rank computes without waiting (armature inspect), or processes take long to start";
  constexpr const char* calls = "checkpoint, rebalance or migrate_together";
  return header_->resize.has_met.load(std::memory_order_relaxed) == 0
             ? fmt::format(
                   "on several nodes that is done when all ranks call {}, and the program "
                   "has called none of them so far",
                   calls)
             : fmt::format("all ranks have not called {} since, or processes take long to start",
                           calls);
}

void AskedJob::await(double timeout_s) {
  constexpr std::uint64_t follow_ns = 20'000'000;
  const std::uint64_t begun_ns = base::now_ns();
  const std::uint64_t end_ns = begun_ns + static_cast<std::uint64_t>(timeout_s * 1e9);
  std::uint64_t followed_ns = begun_ns;
  while (!is_answered()) {
    constexpr timespec interval{0, 1'000'000};
    nanosleep(&interval, nullptr);
    const std::uint64_t now_ns = base::now_ns();
    if (now_ns - followed_ns > follow_ns) {
      follow();
      followed_ns = now_ns;
    }
    if (!is_there() && !is_answered()) base::fail(Errc::misuse, "the job has ended meanwhile");
    if (now_ns > end_ns && !is_answered())
      base::fail(
          Errc::misuse,
          fmt::format(
              "the job has {} processes after {} s: {}; it is still asked for {}",
              wait::hosting_processes(*header_), timeout_s, why_it_takes_long(),
              NodeRequest::of(static_cast<std::uint32_t>(header_->resize.wanted.load())).text()));
  }
  if (const std::string refusal = header_->resize.refusal; !refusal.empty())
    base::fail(Errc::misuse, refusal);
}

}  // namespace armature::command
