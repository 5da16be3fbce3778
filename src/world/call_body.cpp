#include "world/call_body.hpp"

#include <pthread.h>

#include <exception>

#include "base/runtime.hpp"
#include "failure/crash_report.hpp"

namespace armature::hosting {
namespace {

[[noreturn]] void report_end_of_thread() {
  failure::give_up(
      1,
      "its thread was ended by pthread_exit, or pthread_cancel, before the rank had left "
      "the job (return from armature::run, or call armature::finalize, and let only "
      "threads end that the program has started)");
}

/// Destroyed without an exception under way and without a return: the stack is unwound because the
/// thread ends.
class UntilReturn {
 public:
  UntilReturn() = default;
  UntilReturn(const UntilReturn&) = delete;
  UntilReturn& operator=(const UntilReturn&) = delete;
  ~UntilReturn() {
    if (!returned_ && std::uncaught_exceptions() == exceptions_) report_end_of_thread();
  }
  void returned() { returned_ = true; }

 private:
  const int exceptions_ = std::uncaught_exceptions();
  bool returned_ = false;
};

/// A key of threads: the destructor of its value runs when a thread ends, and not when the process
/// does.
struct Key {
  Key() {
    pthread_key_create(&number, [](void*) { report_end_of_thread(); });
  }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() { pthread_key_delete(number); }
  pthread_key_t number = 0;
};
pthread_key_t key() { return base::state<Key>().number; }

}  // namespace

int call_body(detail::Body body, void* callable, World& world) {
  UntilReturn until_return;
  const int status = body(callable, world);
  until_return.returned();
  return status;
}

void stay_on_thread() {
  static const char mark = 0;
  pthread_setspecific(key(), &mark);
}

void leave_thread() { pthread_setspecific(key(), nullptr); }

}  // namespace armature::hosting
