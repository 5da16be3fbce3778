#include "wait/trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstdlib>

#include "base/file_descriptor.hpp"

namespace armature::wait {

namespace detail {
TracePart* trace_part = nullptr;
}

// Never inlined: a rank that goes on in another process writes into that one's part.
[[gnu::noinline]] void trace(const TraceEvent& event) {
  TracePart* const part = detail::trace_part;
  if (part != nullptr) part->event(part->written.fetch_add(1, std::memory_order_relaxed)) = event;
}

void open_trace(int process) {
  const char* const path = std::getenv(trace_variable);
  if (path == nullptr) return;
  const base::FileDescriptor file(open(path, O_RDWR | O_CLOEXEC));
  // Programs that this process starts are none of the job.
  unsetenv(trace_variable);
  if (!file) return;
  void* const part = mmap(nullptr, TracePart::bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                          static_cast<off_t>(static_cast<std::size_t>(process) * TracePart::bytes));
  if (part != MAP_FAILED) detail::trace_part = static_cast<TracePart*>(part);
}

}  // namespace armature::wait
