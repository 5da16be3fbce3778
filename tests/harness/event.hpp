#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace armature::harness {

/// The descriptor by which a played engine wakes who sleeps until something comes. Any thread.
class Event {
 public:
  Event() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  void signal() const {
    const std::uint64_t one = 1;
    (void)!write(descriptor_, &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    (void)!read(descriptor_, &count, sizeof count);
  }

 private:
  int descriptor_;
};

}  // namespace armature::harness
