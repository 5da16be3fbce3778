// What becomes of a call that failed, one that nobody waits for above all.
#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "armature/detail/call.hpp"
#include "armature/own_call.hpp"
#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/failure.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/method_name.hpp"

namespace armature::rmi {

namespace {

void reported(const std::string& text) {
  Endpoint& endpoint = this_endpoint("remote call");
  endpoint.call_failed(endpoint.space().me(), text);
}

}  // namespace

void Endpoint::call_failed(Rank caller, const std::string& text) noexcept {
  if (on_error) return on_error(caller, text);
  // No rank is there to whom it could be said.
  base::fail(Errc::remote,
             fmt::format("a call from rank {} failed: {}", static_cast<int>(caller), text));
}

void Endpoint::gone(detail::Call& call, const detail::RequestHeader& header,
                    const detail::Method& what) {
  const std::string name = name_of(what, 0);
  failed(call, Errc::object_gone,
         fmt::format("object {} (of generation {}) is not, or not any more, on rank {}{}",
                     header.object, header.generation, static_cast<int>(space_.me()),
                     name.empty() ? name : "; what was called is " + name),
         false);
}

/// Who asked knows what; for a statement it is said here.
void Endpoint::threw(detail::Call& call, const detail::Method* what, Errc code,
                     const char* text) noexcept {
  const std::string name =
      what != nullptr && call.reply == nullptr ? name_of(*what, call.code) : std::string();
  failed(call, code, name.empty() ? text : fmt::format("{} (thrown by {})", text, name), true);
}

void Endpoint::failed(detail::Call& call, Errc code, const std::string& text,
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
    return answer(space_, call, executed ? detail::Reply::threw : detail::Reply::refused);
  }
  if (executed) return call_failed(call.from, text);
  // Its caller is told, where call_failed has it.
  detail::call_function<false>(call.from, nullptr, &reported, text);
}

}  // namespace armature::rmi

namespace armature::detail {

void own_statement_threw() {
  rmi::Endpoint& endpoint = rmi::this_endpoint("remote call");
  rmi::tell_thrown(
      [&](Errc, const char* text) { endpoint.call_failed(endpoint.space().me(), text); });
}

void own_question_threw() {
  const Rank me = rmi::this_endpoint("remote question").space().me();
  rmi::tell_thrown([&](Errc code, const char* text) { rmi::throw_remote(code, me, text); });
  __builtin_unreachable();
}

}  // namespace armature::detail
