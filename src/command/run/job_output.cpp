#include "command/run/job_output.hpp"

#include <cerrno>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace armature::command {

Labels::Ends JobOutput::open(const LaunchedProcess& process) {
  return job_.options().label ? labels_.open(process.ranks.numbers()) : Labels::Ends();
}

void JobOutput::add_to(std::vector<pollfd>& polled) const {
  labels_.add_to(polled);
  outputs_.add_to(polled);
}

void JobOutput::write() {
  outputs_.write();
  if (!job_.options().label || outputs_.error() == 0 || is_lost_) return;
  is_lost_ = true;
  say_headline(
      fmt::format("what the ranks write is lost: {}", base::system_text(outputs_.error())));
  shutdown_.fail(1);
  shutdown_.end_job();
}

void JobOutput::write_the_rest(const Signals& signals, const std::function<bool()>& is_cut_short) {
  constexpr int look_ms = 100;
  constexpr std::uint64_t patience_ns = 1'000'000'000;  // with who takes nothing any more
  write();
  std::uint64_t taken_ns = base::now_ns();
  while (const std::size_t waiting = outputs_.waiting()) {
    std::vector<pollfd> polled = {{signals.fd(), POLLIN, 0}};
    outputs_.add_to(polled);
    poll(polled.data(), polled.size(), look_ms);
    write();
    if (outputs_.waiting() != waiting) taken_ns = base::now_ns();
    if (!is_cut_short() || base::now_ns() - taken_ns < patience_ns) continue;
    outputs_.give_up(ETIMEDOUT);
    is_lost_ = true;
    const int signal = shutdown_.passed_on();
    shutdown_.fail(signal != 0 ? 128 + signal : status_timeout);
  }
}

}  // namespace armature::command
