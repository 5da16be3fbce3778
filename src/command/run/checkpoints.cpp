#include "command/run/checkpoints.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/run/console.hpp"
#include "wait/processes.hpp"

namespace armature::command {

namespace {
// The first copy is made as soon as all have joined: until then nothing can be recovered from.
constexpr double first_copy_s = 0.01;
}  // namespace

Checkpoints::Checkpoints(const LaunchOptions& options, space::Control control)
    : options_(options),
      control_(control),
      every_ns_(static_cast<std::uint64_t>(options.checkpoint_every_s * 1e9)),
      copy_due_ns_(options.copy_every_s > 0 ? after(first_copy_s, base::now_ns()) : 0) {}

std::uint64_t Checkpoints::after(double seconds, std::uint64_t now_ns) const {
  return seconds > 0 ? now_ns + static_cast<std::uint64_t>(seconds * 1e9) : 0;
}

/// Whether it still is to be written: the program may have found the same (when_due).
bool Checkpoints::take(std::uint64_t now_ns) {
  space::ControlHeader& job = control_.header();
  if (!std::exchange(is_wanted_, false))
    return job.every.checkpoints.take(every_ns_, job.started_ns, now_ns);
  job.every.checkpoints.last_ns.store(now_ns, std::memory_order_release);
  return true;
}

bool Checkpoints::is_due(std::uint64_t now_ns) const {
  const space::ControlHeader& job = control_.header();
  return every_ns_ != 0 && now_ns >= job.every.checkpoints.due_ns(every_ns_, job.started_ns);
}

void Checkpoints::look(std::uint64_t now_ns) {
  // On several nodes the program says when.
  if (control_.header().nodes > 1) return;
  if (options_.checkpoint_directory.empty() && copy_due_ns_ == 0) return;
  report(now_ns);
  if (number_ == 0 && (is_wanted_ || is_due(now_ns))) begin(space::KeptIn::folder, now_ns);
  if (number_ == 0 && copy_due_ns_ != 0 && now_ns >= copy_due_ns_)
    begin(space::KeptIn::memory, now_ns);
}

std::uint64_t Checkpoints::next_ns() const { return number_ == 0 ? copy_due_ns_ : 0; }

/// Begins one; not yet, while processes still join, or the program has asked for one.
void Checkpoints::begin(space::KeptIn where, std::uint64_t now_ns) {
  space::ControlHeader& job = control_.header();
  if (!job.all_have_joined() || !job.ranks_may_be_written() ||
      job.here.finished.load(std::memory_order_relaxed) != 0 ||
      job.gone.deaths.load(std::memory_order_relaxed) != 0 || job.quiesce.is_to_reconfigure() ||
      !job.quiesce.ask_for(space::Asked::checkpoint))
    return;
  if (where == space::KeptIn::folder && !take(now_ns)) {
    job.quiesce.ask_no_more_for(space::Asked::checkpoint);
    return;
  }
  where_ = where;
  begun_ns_ = now_ns;
  number_ = job.quiesce.over.load(std::memory_order_acquire) + 1;
  const std::string& directory = options_.checkpoint_directory;
  ARMATURE_ASSERT(directory.size() <= space::KeptFolder::directory_max);
  std::memcpy(job.quiesce.folder.directory, directory.c_str(), directory.size() + 1);
  job.quiesce.where.store(where, std::memory_order_relaxed);
  job.quiesce.incremental.is_wanted.store(job.quiesce.incremental.is_setting,
                                          std::memory_order_relaxed);
  job.quiesce.wanted.store(number_, std::memory_order_release);
  wait::wake_processes(control_);
}

void Checkpoints::report(std::uint64_t now_ns) {
  const space::QuiesceState& quiesce = control_.header().quiesce;
  if (number_ == 0 ||
      static_cast<std::int32_t>(quiesce.over.load(std::memory_order_acquire) - number_) < 0)
    return;
  if (quiesce.failed.load(std::memory_order_relaxed) == number_)
    say(fmt::format("the checkpoint could not be written: {}", std::string(quiesce.problem)));
  else if (options_.verbose)
    say(fmt::format("checkpoint {} was written {}in {:.0f} ms", number_,
                    where_ == space::KeptIn::memory ? "to memory " : "",
                    static_cast<double>(now_ns - begun_ns_) * 1e-6));
  number_ = 0;
  if (where_ == space::KeptIn::memory) copy_due_ns_ = after(options_.copy_every_s, now_ns);
}

}  // namespace armature::command
