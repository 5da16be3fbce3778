#include "rmi/settings.hpp"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "transport/channel.hpp"

namespace armature::rmi {
namespace {

/// Replaces `value` by what the launcher has set.
template <class N>
void take(const char* variable, N& value) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  const std::string_view given = text;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size())
    base::fail(Errc::start, fmt::format("{}={}: not a number", variable, given));
}

}  // namespace

Settings settings_at_start(bool takes_turns) {
  Settings settings;
  take("ARMATURE_AGGREGATION", settings.aggregation);
  take("ARMATURE_POLL_EVERY", settings.poll_every);
  take("ARMATURE_NESTING_MAX", settings.nesting_max);
  take("ARMATURE_CHANNEL_BYTES", settings.channel_bytes);
  const auto take_flag = [](const char* variable, bool& flag) {
    std::uint32_t number = 0;
    take(variable, number);
    flag = number != 0;
  };
  take_flag("ARMATURE_SERVICE_THREADS", settings.service_thread);
  // Virtual ranks have no thread that executes calls, but threads for concurrent methods.
  if (takes_turns && method_threads_at_start() > 0) settings.service_thread = false;
  take_flag("ARMATURE_PROGRAM_THREADS", settings.program_threads);
  check(settings);
  return settings;
}

std::size_t method_threads_at_start() {
  std::uint32_t threads = 0;
  take("ARMATURE_SERVICE_THREADS", threads);
  if (threads > method_threads_max)
    base::fail(Errc::start, fmt::format("ARMATURE_SERVICE_THREADS={}: it can be 0 to {}", threads,
                                        method_threads_max));
  return threads > 1 ? threads - 1 : 0;
}

void check(const Settings& settings) {
  using transport::Channel;
  if (settings.nesting_max < 1 || settings.nesting_max > 250)
    base::fail(Errc::bad_argument,
               fmt::format("a nesting limit of {}: it can be 1 to 250", settings.nesting_max));
  if (settings.channel_bytes < Channel::capacity_min ||
      settings.channel_bytes > Channel::capacity_max ||
      !std::has_single_bit(settings.channel_bytes))
    base::fail(Errc::bad_argument,
               fmt::format("a channel of {} bytes: it can be a power of two from {} to {}",
                           settings.channel_bytes, Channel::capacity_min, Channel::capacity_max));
}

}  // namespace armature::rmi
