#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "armature/detail/method.hpp"
#include "armature/detail/request.hpp"
#include "armature/error.hpp"
#include "rmi/endpoint_context.hpp"
#include "space/control.hpp"

namespace armature::rmi {

/// The outcome of calls that fail on this rank. The caller of a two-way call is told in the reply;
/// the failure of a one-way call goes to the rank's handler of errors.
class CallFailures {
 public:
  using Handler = std::function<void(Rank from, std::string_view message)>;

  explicit CallFailures(EndpointContext& context) : context_(context) {
    context.sender.failures = this;
  }
  CallFailures(const CallFailures&) = delete;
  CallFailures& operator=(const CallFailures&) = delete;
  ~CallFailures() = default;
  /// Called by a method, or by a call of a rank to itself.
  [[nodiscard]] static CallFailures& of_this_rank() {
    return *static_cast<EndpointContext::OwnSender*>(detail::sender)->failures;
  }

  void set_handler(Handler handler) { handler_ = std::move(handler); }
  /// A method throws, and its stack is still there: notes it, in case that nobody handles errors.
  void note_throw() noexcept;
  /// A method that was called by async threw on this rank: the job's handler has it; else, or when
  /// that throws in turn, the job ends.
  /// `place`: of the call, behind the caller's rank.
  void call_failed(Rank caller, const std::string& text, const std::string& place = {}) noexcept;
  /// Tells the failure of a call of this rank to any.
  void own_call_failed(const std::string& text) noexcept { call_failed(context_.space.me(), text); }
  /// Tells that the object is not there, or not any more.
  void object_gone(detail::Call& call, const detail::RequestHeader& header,
                   const detail::Method& what);
  /// `what` threw; nullptr: what was to be called could not be found.
  void threw(detail::Call& call, const detail::Method* what, Errc code, const char* text) noexcept;

 private:
  struct Stack {
    static constexpr int max = space::CrashReport::frames_max;
    void* frames[max];
    int count;
  };

  void failed(detail::Call& call, Errc code, const std::string& text, bool executed) noexcept;
  [[nodiscard]] std::string place_of_call(int caller) const;

  EndpointContext& context_;
  Handler handler_;
  std::unique_ptr<Stack> thrown_at_;  // of the last throw; most ranks never need one
};

}  // namespace armature::rmi
