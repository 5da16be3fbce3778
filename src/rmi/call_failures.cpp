#include "rmi/call_failures.hpp"

#include <cxxabi.h>
#include <execinfo.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <typeinfo>

#include <fmt/format.h>

#include "armature/detail/call.hpp"
#include "armature/own_call.hpp"
#include "base/fail.hpp"
#include "rmi/failure.hpp"
#include "rmi/method_name.hpp"
#include "rmi/remote_replies.hpp"
#include "space/stack_of_throw.hpp"
#include "wait/rank_context.hpp"

namespace armature::rmi {

namespace {

void reported(const std::string& text) { CallFailures::of_this_rank().own_call_failed(text); }

}  // namespace

void CallFailures::note_throw() noexcept {
  if (handler_) return;
  if (!thrown_at_) thrown_at_.reset(new (std::nothrow) Stack);
  if (thrown_at_) thrown_at_->count = backtrace(thrown_at_->frames, Stack::max);
}

void CallFailures::call_failed(Rank caller, const std::string& text,
                               const std::string& place) noexcept {
  if (handler_) return handler_(caller, text);
  // No rank is there to whom it could be said. Where it was thrown tells more than the stack here.
  if (thrown_at_)
    space::put_stack_of_throw(context_.space.control().crash_report(context_.space.me()),
                              {thrown_at_->frames, static_cast<std::size_t>(thrown_at_->count)});
  base::fail(Errc::remote, fmt::format("a call from rank {}{} failed: {}", static_cast<int>(caller),
                                       place, text));
}

/// Empty where nobody finds the line.
std::string CallFailures::place_of_call(int caller) const {
  const bool is_known = context_.called_at != nullptr && context_.called_at->frames[0] != 0 &&
                        context_.space.header().launcher.is_there != 0;
  return is_known ? ", made at " + context_.called_at->text(caller) + "," : "";
}

void CallFailures::object_gone(detail::Call& call, const detail::RequestHeader& header,
                               const detail::Method& what) {
  const std::string name = name_of(what, 0);
  failed(call, Errc::object_gone,
         fmt::format("object {} (of generation {}) is not, or not any more, on rank {}{}",
                     header.object, header.generation, static_cast<int>(context_.space.me()),
                     name.empty() ? name : "; what was called is " + name),
         false);
}

namespace {

/// "std::runtime_error", of the exception that is being handled.
std::string type_of_thrown() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an exception";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type->name();
}

}  // namespace

/// The caller of a two-way call knows what it called; for a one-way call it is said here.
void CallFailures::threw(detail::Call& call, const detail::Method* what, Errc code,
                         const char* text) noexcept {
  if (call.reply != nullptr) return failed(call, code, text, true);
  const std::string name = what != nullptr ? name_of(*what, call.code) : std::string();
  failed(
      call, code,
      fmt::format("{} ({}{}{})", text, type_of_thrown(), name.empty() ? "" : ", thrown by ", name),
      true);
}

void CallFailures::failed(detail::Call& call, Errc code, const std::string& text,
                          bool executed) noexcept {
  if (call.reply != nullptr) {
    std::size_t bytes = text.size();
    std::byte* room = nullptr;
    try {
      room = detail::reply_room(call, bytes);
    } catch (const Error&) {
      // Memory may be what was missing: as much as needs none.
      bytes = std::min(bytes, detail::Reply::inline_bytes);
      room = detail::reply_room(call, bytes);
    }
    std::memcpy(room, text.data(), bytes);
    call.reply->code = static_cast<std::uint16_t>(static_cast<int>(code) + 1);
    return answer(context_.space, call, executed ? detail::Reply::threw : detail::Reply::refused);
  }
  if (executed) return call_failed(call.from, text, place_of_call(call.from));
  // The caller is told, where call_failed has it.
  detail::call_function<false>(call.from, nullptr, &reported, text);
}

}  // namespace armature::rmi

namespace armature::detail {

void own_statement_threw() {
  rmi::tell_thrown([](Errc, const char* text) {
    rmi::CallFailures::of_this_rank().own_call_failed(
        fmt::format("{} ({})", text, rmi::type_of_thrown()));
  });
}

void own_question_threw() {
  const Rank me = wait::this_rank("remote call").space.me();
  rmi::tell_thrown([&](Errc code, const char* text) { rmi::throw_remote(code, me, text); });
  __builtin_unreachable();
}

}  // namespace armature::detail
