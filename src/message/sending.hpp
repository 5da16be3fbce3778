#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

#include "message/announcement.hpp"
#include "message/outbox.hpp"
#include "message/requests.hpp"
#include "space/address_space.hpp"

namespace armature::message {

/// The sender's half of a rank's messages. Its owner has a lock around all calls.
class Sending {
 public:
  /// Longer messages come in two steps: the receiver has a place for them before they travel.
  static constexpr std::size_t short_max = 32 * 1024;
  /// The longest that comes in one step where the receiver can read the sender's memory: longer
  /// ones are copied once then instead of twice.
  static constexpr std::size_t short_max_readable = 8 * 1024;

  explicit Sending(space::AddressSpace& space)
      : space_(space), outbox_(space), announcements_(space) {}

  void open(int to, const char* call) { outbox_.open(to, call); }
  /// A short message, now. False, and nothing has happened, where that cannot be.
  [[nodiscard]] bool send_at_once(const Address& address, std::span<const std::byte> data,
                                  const char* call) {
    if (data.size() > short_max_readable) return false;
    Envelope envelope;
    envelope.context = address.context;
    envelope.tag = address.tag;
    envelope.bytes = data.size();
    return outbox_.write_at_once(address.to, envelope, data, call);
  }
  void start(SendRequest& request, const char* call);
  /// Whether it is over.
  bool look(SendRequest& request);
  /// Lets go of a request that is not over: nothing of it is used any more.
  void abandon(SendRequest& request, bool is_read_no_more);

  /// An envelope alone.
  void post(int to, const Envelope& envelope);
  /// The receiver has a place for what was offered.
  void go(int from, const Envelope& envelope);
  /// Writes what there is room for; whether it did anything.
  bool push() { return outbox_.push(); }
  [[nodiscard]] bool is_pushing() const { return !outbox_.is_empty(); }

  /// Whether nothing is under way.
  [[nodiscard]] bool is_idle();
  void close() { outbox_.close(); }

 private:
  void announce(SendRequest& request);
  void withdraw(SendRequest& request);

  space::AddressSpace& space_;
  Outbox outbox_;
  Announcements announcements_;
  std::list<SendRequest*> elsewhere_;  // whose bytes do not go through rings: announced, streaming
  std::unordered_map<std::uint64_t, SendRequest*> offered_;
  std::uint64_t offers_ = 0;
};

}  // namespace armature::message
