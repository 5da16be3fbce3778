#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "armature/detail/method.hpp"
#include "armature/detail/request.hpp"
#include "rmi/blocks.hpp"
#include "rmi/call_failures.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/incoming.hpp"
#include "rmi/objects.hpp"

namespace armature::rmi {

/// Executes requests that have come in: finds the method and the object that each names, checks
/// both, and calls. Nothing of a request is trusted before.
class Dispatcher {
 public:
  Dispatcher(EndpointContext& context, Objects& objects, Blocks& blocks)
      : context_(context), space_(context.space), objects_(objects), blocks_(blocks) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;
  ~Dispatcher() = default;

  [[nodiscard]] Objects& objects() { return objects_; }
  [[nodiscard]] CallFailures& failures() { return failures_; }

  /// Runs a one-way call with a full header that others may repeat. Or runs one with a repeated
  /// header and those right behind it that have the same length and end before `stop`.
  void repeat(Incoming& in, const detail::RequestHeader& header, const std::byte* at,
              std::uint64_t stop);
  /// A request of any other kind.
  void execute(Incoming& in, const detail::RequestHeader& header, const std::byte* at);

  /// Whether a two-way call was executed since begin_round().
  [[nodiscard]] bool has_answered() const { return answered_; }
  void begin_round() { answered_ = false; }
  /// The method on top waits: it needs the block of its arguments no more.
  void release_block() {
    if (unpacked_block_ != nullptr) Blocks::mark_done(std::exchange(unpacked_block_, nullptr));
  }

 private:
  [[nodiscard]] const detail::Method& method(std::uint64_t token);
  const detail::Method* find(detail::Call& call, const detail::RequestHeader& header);
  /// Finds what a full header names, for those that repeat it; false where the object is gone.
  [[nodiscard]] bool find_first(Repeated& first, detail::Call& call);
  const detail::Method* find_repeated(Repeated& first, detail::Call& call);
  /// Finds the reply's address and the arguments; the block, when they lie in one.
  std::byte* locate(detail::Call& call, const detail::RequestHeader& header, const std::byte* at);
  bool fetch(detail::Call& call);
  template <class F>
  void guarded(detail::Call& call, F&& f);
  void run(Incoming& in, detail::Call& call, const detail::RequestHeader& header,
           const detail::Method*& what);
  void run_held(Incoming& in, detail::Call& call, const detail::RequestHeader& header,
                const detail::Method& what);

  EndpointContext& context_;
  space::AddressSpace& space_;
  Objects& objects_;
  Blocks& blocks_;
  CallFailures failures_{context_};
  std::byte* unpacked_block_ = nullptr;  // of the method on top: not needed once it waits
  bool answered_ = false;
  std::uint64_t last_token_ = UINT64_MAX;  // which no method has
  const detail::Method* last_method_ = nullptr;
};

}  // namespace armature::rmi
