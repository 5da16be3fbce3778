#include "reachable.hpp"

#include <sys/mman.h>
#include <unistd.h>

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
  if (kind == "file") return KindOfMemory::file;
  if (kind == "routine") return KindOfMemory::routine;
  return KindOfMemory::segment;
}

}  // namespace

KindOfMemory kind_of_memory() {
  static const KindOfMemory kind = asked_for();
  return kind;
}

const armature::MemoryKind& counting_routine() { return routine; }
OwnMemory::OwnMemory(std::size_t bytes) : bytes_(bytes) {
  if (kind_of_memory() != KindOfMemory::file) {
    first_ = std::calloc(bytes, 1);
    return;
  }
  const int file = memfd_create("conformance", MFD_CLOEXEC);
  void* const mapped = ftruncate(file, static_cast<off_t>(bytes)) != 0
                           ? MAP_FAILED
                           : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) std::abort();
  first_ = mapped;
  file_ = file;
}

OwnMemory::~OwnMemory() {
  if (file_ < 0) {
    std::free(first_);
    return;
  }
  munmap(first_, bytes_);
  close(file_);
}

std::size_t routine_calls() { return routine.calls(); }

}  // namespace conformance
