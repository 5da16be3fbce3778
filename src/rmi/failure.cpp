#include "rmi/failure.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "armature/detail/call.hpp"
#include "armature/own_call.hpp"
#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/method_name.hpp"

namespace armature::rmi {

void corrupt(const std::string& what) noexcept {
  base::fail(Errc::corrupt, what + ": memory of this job is damaged; nothing of it was acted on");
}

void call_failed(Endpoint& endpoint, Rank caller, const std::string& text) noexcept {
  if (endpoint.on_error) return endpoint.on_error(caller, text);
  // No rank is there to whom it could be said.
  base::fail(Errc::remote,
             fmt::format("a call from rank {} failed: {}", static_cast<int>(caller), text));
}

namespace {

/// Of a call within a call: where it failed stands there already, and once is enough.
bool names_rank(std::string_view text) {
  if (text.starts_with("armature: ")) text.remove_prefix(std::strlen("armature: "));
  if (!text.starts_with("rank ")) return false;
  text.remove_prefix(std::strlen("rank "));
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && text.substr(digits).starts_with(": ");
}

}  // namespace

void throw_remote(Errc code, Rank from, const std::string& text) {
  throw RemoteError(
      code, from,
      names_rank(text) ? text : fmt::format("rank {}: {}", static_cast<int>(from), text));
}

namespace {
void reported(const std::string& text) {
  Endpoint& endpoint = this_endpoint("remote call");
  call_failed(endpoint, Rank(endpoint.space().me()), text);
}
}  // namespace

void report(Endpoint&, Rank caller, const std::string& text) {
  detail::call_function<false>(caller, nullptr, &reported, text);
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
  if (executed) return call_failed(*this, call.from, text);
  report(*this, call.from, text);
}

}  // namespace armature::rmi

namespace armature::detail {

void own_statement_threw() {
  rmi::Endpoint& endpoint = rmi::this_endpoint("remote call");
  rmi::tell_thrown(
      [&](Errc, const char* text) { rmi::call_failed(endpoint, endpoint.space().me(), text); });
}

void own_question_threw() {
  const Rank me = rmi::this_endpoint("remote question").space().me();
  rmi::tell_thrown([&](Errc code, const char* text) { rmi::throw_remote(code, me, text); });
  __builtin_unreachable();
}

}  // namespace armature::detail
