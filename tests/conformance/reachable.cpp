#include "reachable.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace conformance {

namespace {

class CountingRoutine final : public armature::MemoryKind {
 public:
  void write(void* to, const void* from, std::size_t bytes) const noexcept override {
    calls_.fetch_add(1, std::memory_order_relaxed);
    std::memcpy(to, from, bytes);
  }
  void read(void* to, const void* from, std::size_t bytes) const noexcept override {
    write(to, from, bytes);
  }
  [[nodiscard]] std::size_t calls() const { return calls_.load(std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::size_t> calls_ = 0;
};
const CountingRoutine routine;

KindOfMemory asked_for() {
  const char* const name = std::getenv("CONFORMANCE_MEMORY");
  const std::string_view kind = name == nullptr ? "segment" : name;
  if (kind == "exposed") return KindOfMemory::exposed;
  if (kind == "routine") return KindOfMemory::routine;
  return KindOfMemory::segment;
}

}  // namespace

KindOfMemory kind_of_memory() {
  static const KindOfMemory kind = asked_for();
  return kind;
}

const armature::MemoryKind& counting_routine() { return routine; }
std::size_t routine_calls() { return routine.calls(); }

}  // namespace conformance
