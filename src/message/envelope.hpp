#pragma once

#include <cstddef>
#include <cstdint>

// Envelopes travel in the ring from one rank to another, with bytes behind those that have some. A
// short message travels with its envelope. Of a long one the envelope comes alone; when a receive
// has matched it, its bytes go straight to where the receive wants them:
//
//   announcement: the receiver can read the sender's memory. It copies, and says so in the
//     announcement, which lies in the sender's segment.
//   for_kernel: the receiver's kernel may let it read the sender's memory. It does, as above; or,
//     where it is refused, asks as for an offer.
//   offer: it cannot. It answers with `go`, and the sender sends the bytes: behind `bytes`, or, to
//     another node, in records that go straight to their place (landing.hpp).

namespace armature::message {

enum class EnvelopeKind : std::uint16_t {
  whole,         // the message is behind it
  announcement,  // number: the address of the Announcement
  for_kernel,    // the same
  offer,         // number: the sender's, of the message
  go,            // number: that one; answer: the receiver's, or the address of a Landing
  bytes,         // number: the receiver's; the message is behind it
};

struct Envelope {
  static constexpr std::uint16_t expected_magic = 0x4541;

  std::uint16_t magic = expected_magic;
  EnvelopeKind kind = EnvelopeKind::whole;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::uint32_t landing = 0;  // of a `go`: the number of the Landing; 0: there is none
  std::uint64_t bytes = 0;    // of the message; of a `go`: the answer
  std::uint64_t number = 0;

  /// How many bytes are behind it.
  [[nodiscard]] std::size_t behind() const {
    return kind == EnvelopeKind::whole || kind == EnvelopeKind::bytes ? bytes : 0;
  }
};
static_assert(sizeof(Envelope) == 32);

}  // namespace armature::message
