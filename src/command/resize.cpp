#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/process_stat.hpp"
#include "command/commands.hpp"
#include "command/inspect/jobs.hpp"
#include "command/numbers.hpp"
#include "space/layout.hpp"
#include "wait/processes.hpp"

// `armature resize`: more processes for the virtual ranks of a running job, or fewer.

namespace armature::command {
namespace {

constexpr const char* footer = R"(
JOB is the process id of its armature run, or of one of its processes (armature inspect shows them). Returns when the
job has that many. A process leaves by itself, too, when it is asked to end (kill PID): its ranks go to the others.
On several nodes that is done when all ranks next call checkpoint, rebalance or migrate_together. Where a node would
keep no process, ranks are written to disk there and go on in new processes.

Example:
  armature resize 4711 --processes 3)";

struct Wanted {
  std::string job;
  std::uint32_t processes = 0;
  double timeout_s = 30;
};

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

/// The command which would start it anew: of a job that another launcher has started for it, that
/// is above that one. 0: there is none here.
int command_of(const ObservedJob& job) {
  if (job.control().header().launcher.is_there != 0) return job.pid();
  for (int pid = parent_of(job.pid()); pid > 1; pid = parent_of(pid))
    if (is_armature(pid) && !outlives(pid)) return pid;
  return 0;
}

/// Finds the job of that command; of several the one that was started last.
std::optional<ObservedJob> look_for_job_of(int pid) {
  std::vector<ObservedJob> jobs = running_jobs();
  const ObservedJob* last = nullptr;
  for (const ObservedJob& job : jobs)
    if ((job.has_process(pid) || command_of(job) == pid) &&
        (last == nullptr ||
         job.control().header().started_ns > last->control().header().started_ns))
      last = &job;
  if (last == nullptr) return std::nullopt;
  return std::move(jobs[static_cast<std::size_t>(last - jobs.data())]);
}

/// A launcher that has just been started may have no job yet; a shell's child, about to become one,
/// is none yet.
ObservedJob job_of(int pid) {
  constexpr std::uint64_t patience_ns = 10'000'000'000, moment_ns = 500'000'000;
  const std::uint64_t begun_ns = base::now_ns();
  for (;;) {
    const std::uint64_t age_ns = base::now_ns() - begun_ns;
    const bool may_come = age_ns < (is_armature(pid) ? patience_ns : moment_ns);
    if (auto job = look_for_job_of(pid)) return std::move(*job);
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

/// A request to a job, and to the same job when it goes on in other processes: then it has memory
/// of its own, with the request in it.
class Asked {
 public:
  Asked(ObservedJob job, std::uint32_t processes)
      : pid_(command_of(job)),
        has_launcher_(job.control().header().launcher.is_there != 0),
        nodes_(job.control().header().nodes),
        processes_(processes),
        header_(&job.writable().header()),
        request_(wait::ask_for_processes(*header_, processes)) {}

  [[nodiscard]] const space::ControlHeader& job() const { return *header_; }
  [[nodiscard]] bool is_answered() const {
    return wait::is_answered(*header_, request_) || (is_started_ && header_->all_have_joined());
  }
  [[nodiscard]] bool is_there() const { return runs(pid_); }
  void follow() {
    if (nodes_ == 1) return;
    const auto job = look_for_job_of(pid_);
    if (!job || job->control().header().started_ns == header_->started_ns) return;
    header_ = &job->writable().header();
    // Else its ranks would say so when they meet.
    is_started_ = !has_launcher_ && header_->processes == processes_;
    if (is_started_) return;
    // The new job may have come when nobody looked at the former one any more.
    const auto known = static_cast<std::uint32_t>(header_->resize.wanted.load() >> 32);
    if (static_cast<std::int32_t>(known - request_) < 0)
      request_ = wait::ask_for_processes(*header_, processes_);
  }
  [[nodiscard]] std::string why_it_takes_long() const {
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

 private:
  const int pid_;
  const bool has_launcher_;
  const std::int32_t nodes_;
  const std::uint32_t processes_;
  space::ControlHeader* header_;
  std::uint32_t request_;
  bool is_started_ = false;
};

/// Waits until the launcher has answered.
void await(Asked& asked, double timeout_s) {
  constexpr std::uint64_t follow_ns = 20'000'000;
  const std::uint64_t begun_ns = base::now_ns();
  const std::uint64_t end_ns = begun_ns + static_cast<std::uint64_t>(timeout_s * 1e9);
  std::uint64_t followed_ns = begun_ns;
  while (!asked.is_answered()) {
    constexpr timespec interval{0, 1'000'000};
    nanosleep(&interval, nullptr);
    const std::uint64_t now_ns = base::now_ns();
    if (now_ns - followed_ns > follow_ns) {
      asked.follow();
      followed_ns = now_ns;
    }
    if (!asked.is_there()) {
      if (asked.is_answered()) return;  // and then ended
      base::fail(Errc::misuse, "the job has ended meanwhile");
    }
    if (now_ns > end_ns)
      base::fail(
          Errc::misuse,
          fmt::format("the job has {} processes after {} s: {}; it is still asked for {}",
                      wait::hosting_processes(asked.job()), timeout_s, asked.why_it_takes_long(),
                      static_cast<std::uint32_t>(asked.job().resize.wanted.load())));
  }
}

void resize(const Wanted& wanted) {
  constexpr std::uint64_t pid_max = 1 << 22;
  const auto pid = static_cast<int>(parse_count("JOB", wanted.job, 1, pid_max));
  ObservedJob job = job_of(pid);
  const space::ControlHeader& header = job.control().header();
  if (header.launcher.is_there == 0 && (header.nodes == 1 || command_of(job) == 0))
    base::fail(Errc::misuse, wait::cannot_resize);
  if (header.ranks_are_virtual == 0 || header.simulation.on != 0)
    base::fail(Errc::misuse,
               fmt::format("job {} cannot be resized: only virtual ranks can move (armature run "
                           "--virtual)",
                           job.pid()));
  Asked asked(std::move(job), wanted.processes);
  await(asked, wanted.timeout_s);
  if (const std::string refusal = asked.job().resize.refusal; !refusal.empty())
    base::fail(Errc::misuse, refusal);
  // A process that has ended hosts no more.
  const std::uint32_t processes =
      asked.is_there() ? wait::hosting_processes(asked.job()) : wanted.processes;
  if (processes != wanted.processes)
    base::fail(Errc::misuse,
               fmt::format("the job has {} processes, not {}: somebody else has asked for another "
                           "number since, or some have left it",
                           processes, wanted.processes));
  fmt::print("{} processes\n", processes);
}

}  // namespace

void add_resize(CLI::App& app) {
  auto* command = app.add_subcommand("resize", "More or fewer processes for a running job");
  command->footer(footer);
  auto wanted = std::make_shared<Wanted>();
  command->add_option("JOB", wanted->job, "Whose ranks are to be spread anew")
      ->required()
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--processes",
          [wanted](const std::string& text) {
            wanted->processes =
                static_cast<std::uint32_t>(parse_count("--processes", text, 1, space::ranks_max));
          },
          "Processes that are to host its ranks")
      ->required()
      ->type_name("P");
  command
      ->add_option_function<std::string>(
          "--timeout",
          [wanted](const std::string& text) {
            wanted->timeout_s = parse_seconds("--timeout", text);
          },
          "Wait for that long (default: 30 s)")
      ->type_name("S");
  command->callback([wanted] { resize(*wanted); });
}

}  // namespace armature::command
