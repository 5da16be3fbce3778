#include "topology/processor_share.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/file_descriptor.hpp"

namespace armature::topology {
namespace {

std::uint64_t own_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::optional<ProcessorTime> processor_time_in(std::string_view text) {
  ProcessorTime time;
  const char* const end = text.data() + text.size();
  const auto ran = std::from_chars(text.data(), end, time.ran_ns);
  if (ran.ec != std::errc() || ran.ptr == end || *ran.ptr != ' ') return std::nullopt;
  const auto waited = std::from_chars(ran.ptr + 1, end, time.waited_ns);
  if (waited.ec != std::errc()) return std::nullopt;
  return time;
}

std::optional<ProcessorTime> own_processor_time() {
  const base::FileDescriptor file(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t bytes = file ? read(file.get(), text, sizeof text) : 0;
  if (bytes <= 0) return std::nullopt;
  const auto time = processor_time_in({text, static_cast<std::size_t>(bytes)});
  // A kernel that keeps no account writes zeros.
  return time && time->ran_ns != 0 ? time : std::nullopt;
}

double ProcessorShare::since_last(const std::optional<ProcessorTime>& now) {
  if (!now || now->ran_ns < last_.ran_ns || now->waited_ns < last_.waited_ns) {
    last_ = now.value_or(ProcessorTime());  // another thread's, or a counter that began again
    return share_;
  }
  const std::uint64_t ran_ns = now->ran_ns - last_.ran_ns;
  const std::uint64_t wanted_ns = ran_ns + now->waited_ns - last_.waited_ns;
  if (ran_ns == 0 || wanted_ns < least_ns) return share_;
  last_ = *now;
  return share_ = static_cast<double>(ran_ns) / static_cast<double>(wanted_ns);
}

double processor_rate() {
  constexpr int trials = 5, turns = 10'000;
  std::uint64_t least_ns = UINT64_MAX;
  for (int trial = 0; trial < trials; ++trial) {
    const std::uint64_t begun_ns = own_cpu_ns();
    std::uint64_t word = begun_ns;
    for (std::uint64_t i = 0; i < turns; ++i) word = word * 6364136223846793005U + i;
    asm volatile("" : : "r"(word));
    least_ns = std::min(least_ns, std::max<std::uint64_t>(own_cpu_ns() - begun_ns, 1));
  }
  return static_cast<double>(turns) / static_cast<double>(least_ns);
}

}  // namespace armature::topology
