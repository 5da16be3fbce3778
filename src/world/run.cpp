#include "armature/run.hpp"

#include <memory>
#include <string>

#include "base/fail.hpp"
#include "world/job.hpp"
#include "world/last_words.hpp"
#include "world/process.hpp"

namespace armature {
namespace {

std::unique_ptr<Job> job;  // of the process's rank
bool has_left = false;

}  // namespace

World& init() {
  if (has_left)
    base::fail(Errc::misuse, "init: this process has left its job already; it cannot join again");
  if (job == nullptr) {
    job = std::make_unique<Job>(Process::join().space(0));
    progress::set_sole_rank(&job->context());
  }
  return job->world();
}

void finalize() {
  if (job == nullptr)
    base::fail(Errc::misuse, "finalize: this process has not joined a job, or has left it already");
  job->leave();
  has_left = true;
  progress::set_sole_rank(nullptr);
  job.reset();
  space::Mapping::leave();
}

bool initialized() { return progress::current_rank() != nullptr; }

World& world() { return *progress::this_rank("world").world; }

void abort(int status, std::string_view message) {
  detail::die(status, std::string(message).c_str());
}

namespace detail {

// An exception that leaves body is not caught here: nobody catching it, it ends the process where
// it was thrown, with the whole stack there to be shown.
int run(int, char**, Body body, void* callable) {
  World& world = init();
  const int status = body(callable, world);
  finalize();
  return status;
}

}  // namespace detail
}  // namespace armature
