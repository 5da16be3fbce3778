#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "message/announcement.hpp"
#include "message/cursor.hpp"
#include "message/envelope.hpp"
#include "message/matching.hpp"
#include "message/outbox.hpp"
#include "message/send_stream.hpp"

namespace armature::message {

/// The rank that a message goes to, and the label by which it is matched there.
struct Address {
  int to = -1;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
};

/// A message being sent. It, its bytes and the list of their pieces stay where they are until it is
/// over.
struct SendRequest : Outgoing {
  SendRequest(const Address& address, std::span<const iovec> pieces);

  std::span<const iovec> pieces;
  Announcement* announcement = nullptr;
  std::list<SendRequest*>::iterator place;  // while it is announced, or streams
  std::uint64_t offer = 0;                  // its number; 0: it is not offered
  std::unique_ptr<SendStream> stream;       // of its bytes, to another node
  /// Release: the bytes have been copied.
  std::atomic<bool> is_over{false};
  bool is_lost = false;  // who should receive it has died; written before is_over
};

/// A message that came: its sender, its tag, its length.
struct Came {
  int source = -1;
  std::int32_t tag = 0;
  std::size_t bytes = 0;
};

/// A message that is longer than the room that a receive has is kept or cut.
enum class TooLong { is_kept, is_cut };

/// A receive under way. It, and the list of pieces where the bytes go, stay where they are until it
/// is over.
struct ReceiveRequest : PostedReceive {
  /// The result, once it is over.
  struct Outcome : Came {
    bool does_not_fit = false;  // and the message waits on
    bool is_lost = false;       // who should send has died, and nothing came
  };

  ReceiveRequest(const Label& pattern, std::span<const iovec> pieces, TooLong what);

  [[nodiscard]] bool takes(std::size_t bytes) const {
    return bytes <= room || too_long == TooLong::is_cut;
  }
  void end(const Came& came, bool does_not_fit = false);

  Cursor into;
  std::size_t room = 0;
  TooLong too_long = TooLong::is_kept;
  /// The only one whose message it can get now; -1: anyone of its pattern.
  std::atomic<int> bound_to{-1};
  Outcome outcome;
  std::atomic<bool> is_over{false};
};

/// A message that no receive has got: its bytes, or where they are to be had.
struct Arrival : WaitingMessage {
  Arrival(const Label& label, const Envelope& envelope);

  [[nodiscard]] bool is_here() const { return kind == EnvelopeKind::whole; }
  [[nodiscard]] Came came() const { return {label().source, label().tag, bytes}; }
  /// Memory for its bytes, and the way there.
  void make_room();
  [[nodiscard]] Cursor into() const { return Cursor(std::span(&piece_, 1)); }

  EnvelopeKind kind;         // whole, announcement, for_kernel, offer
  std::uint64_t number = 0;  // of the announcement, the offer
  std::size_t bytes = 0;
  std::vector<std::byte> data;
  bool is_coming = false;              // it has been asked for
  ReceiveRequest* receiver = nullptr;  // gets it when it has come
  // Of a message that is not here and has not been asked for: since when, and since which look.
  std::uint64_t since_ns = 0;
  std::uint64_t since_look = 0;
  std::list<Arrival*>::iterator place;

 private:
  iovec piece_{};
};

}  // namespace armature::message
