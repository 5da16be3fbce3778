#include "command/run/time_watch.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/run/console.hpp"

namespace armature::command {

TimeWatch::TimeWatch(const JobView& job, Shutdown& shutdown)
    : job_(job), shutdown_(shutdown), stall_(job.options().stall_s, base::now_ns()) {}

void TimeWatch::restart() { stall_.restart(base::now_ns()); }

bool TimeWatch::is_up() const {
  const LaunchOptions& options = job_.options();
  const std::uint64_t begun_ns =
      options.timeout_from_ns != 0 ? options.timeout_from_ns : job_.header().started_ns;
  const double age_s = static_cast<double>(base::now_ns() - begun_ns) * 1e-9;
  return options.timeout_s > 0 && age_s >= options.timeout_s;
}

void TimeWatch::look() {
  if (shutdown_.is_ending()) return;
  const std::uint64_t now_ns = base::now_ns();
  if (is_up()) {
    say_headline(
        fmt::format(
            "the job was not through after {} s (--timeout) and is ended. What its ranks did:",
            job_.options().timeout_s),
        job_.explanation());
    shutdown_.fail(status_timeout);
    return shutdown_.end_job();
  }
  if (stall_.due(job_.control(), now_ns)) {
    say_headline(fmt::format("nothing has moved for {:.0f} s (--stall). What the ranks do:",
                             stall_.still_s(now_ns)),
                 job_.explanation());
  }
}

}  // namespace armature::command
