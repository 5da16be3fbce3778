#pragma once

#include <cstdint>

#include "armature/detail/method.hpp"
#include "armature/detail/request.hpp"
#include "rmi/adaptive_polling.hpp"
#include "rmi/held_slot.hpp"
#include "transport/channel.hpp"

namespace armature::rmi {

/// The named parts of the last full header of a channel, which repeated headers leave out.
struct Repeated {
  detail::RequestHeader header;
  detail::CodePointer pointer;
  // Found out when it is called; again when an object has gone.
  const detail::Method* what = nullptr;
  std::uint32_t changes = 0;
  void* object = nullptr;
  std::uintptr_t code = 0;
};

/// The receiver's end of a channel.
struct Incoming {
  Incoming(int the_from, transport::Channel& the_channel)
      : from(the_from), channel(the_channel), capacity(the_channel.capacity) {}
  const int from;
  transport::Channel& channel;
  const std::uint64_t capacity;
  std::uint64_t read = 0;
  std::uint64_t released = 0;  // as far as the sender has been told
  std::uint64_t executed = 0;  // requests whose method is over
  std::uint64_t begun = 0;     // requests whose method has begun, where they are traced
  AdaptivePolling polling;
  std::uint64_t look_at_ns = 0;       // not before: it is a stream
  std::uint64_t lagged_until_ns = 0;  // when this look was put off till then
  Repeated first;
  HeldSlot* held = nullptr;  // requests that methods under way look into

  /// The lines of requests are asked for so far ahead, where they have been published.
  static constexpr std::size_t ahead_bytes = 1536;
};

}  // namespace armature::rmi
