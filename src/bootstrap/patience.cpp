#include "bootstrap/patience.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {
namespace {

constexpr std::chrono::seconds silent_for{10};

struct Spoken {  // of whom this process waits for, whatever for
  bool has = false;
};

}  // namespace

Patience::Patience(std::chrono::milliseconds patience, int processes, const Presence* presence)
    : presence_(presence),
      processes_(processes),
      until_(Clock::now() + patience),
      speaks_(Clock::now() + silent_for) {}

Patience::Clock::time_point Patience::look() {
  const Clock::time_point now = Clock::now();
  if (now >= until_) give_up();
  bool& has_spoken = base::state<Spoken>().has;
  if (has_spoken || now < speaks_) return has_spoken ? until_ : std::min(until_, speaks_);
  has_spoken = true;
  const std::string whom = whom_it_waits_for();
  if (!whom.empty() && presence_->is_first())
    std::fputs(fmt::format("armature: the job has not begun after {} s: {} yet\n",
                           silent_for.count(), whom)
                   .c_str(),
               stderr);
  return until_;
}

std::string Patience::whom_it_waits_for() const {
  return presence_ != nullptr ? presence_->whom_it_waits_for() : std::string();
}

void Patience::give_up() const {
  const std::string whom = whom_it_waits_for();
  base::fail(Errc::start,
             fmt::format("not all of the {} processes that the launcher has started join the job: "
                         "{}{}waited {} s ({}=SECONDS to wait longer)",
                         processes_, whom, whom.empty() ? "" : "; ", start_timeout().count() / 1000,
                         start_timeout_variable));
}

}  // namespace armature::bootstrap
