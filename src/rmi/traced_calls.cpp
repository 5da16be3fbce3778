// A request is looked at before the dispatcher has checked it. So nothing is called here, and what
// is wrong is left to the dispatcher to say. The name of a method is in the program's table of
// symbols, which the loader does not have. The launcher has it: a name is the type of the method,
// the file of the code, and the place there, on a line each.
#include "rmi/traced_calls.hpp"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/clock.hpp"
#include "rmi/method_name.hpp"
#include "wait/trace.hpp"

namespace armature::rmi {

using detail::CodePointer;
using detail::Method;
using detail::RequestHeader;
using detail::RequestKind;

namespace {

const Method* method_of(const RequestHeader& header) {
  try {
    const std::uint64_t token =
        (static_cast<std::uint64_t>(header.module) << 32) | header.method_offset;
    const auto* found = static_cast<const Method*>(detail::from_token(token));
    const bool is_one = reinterpret_cast<std::uintptr_t>(found) % alignof(Method) == 0 &&
                        found->magic == Method::expected_magic;
    return is_one ? found : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

/// The code that stands in the request; 0 where none does, or it lies in a block elsewhere.
std::uintptr_t code_of(const Incoming& in, const RequestHeader& header,
                       std::span<const std::byte> request) {
  CodePointer pointer;
  if (header.is(RequestKind::repeated_header)) {
    pointer = in.first.pointer;
  } else {
    const std::size_t at =
        sizeof header + (header.is(RequestKind::two_way) ? sizeof(detail::Reply*) : 0);
    const bool is_full = header.is(RequestKind::full_header);
    if ((!is_full && (header.kind & RequestHeader::is_long) != 0) ||
        at + sizeof pointer > request.size())
      return 0;
    std::memcpy(&pointer, request.data() + at, sizeof pointer);
  }
  try {
    return detail::decode(pointer);
  } catch (const Error&) {
    return 0;
  }
}

/// Two lines: the file of the code, and the code's offset from where that is loaded.
std::string place_of(std::uintptr_t code) {
  Dl_info found{};
  if (code < CodePointer::virtual_max || dladdr(reinterpret_cast<void*>(code), &found) == 0 ||
      found.dli_fname == nullptr)
    return {};
  std::error_code error;
  std::filesystem::path file = found.dli_fname;
  // The program itself is called as it was started.
  if (!file.is_absolute()) file = std::filesystem::read_symlink("/proc/self/exe", error);
  return fmt::format("\n{}\n{:x}", file.string(),
                     code - reinterpret_cast<std::uintptr_t>(found.dli_fbase));
}

}  // namespace

void TracedCalls::begins(Incoming& in, int me, const RequestHeader& header,
                         std::span<const std::byte> request) {
  const std::uint32_t name = name_of_method(in, header, request);
  wait::trace({.kind = wait::TraceEvent::Kind::executed,
               .rank = me,
               .other = in.from,
               .what = name,
               .begin_ns = base::now_ns(),
               .number = ++in.begun});
}

std::uint32_t TracedCalls::name_of_method(const Incoming& in, const RequestHeader& header,
                                          std::span<const std::byte> request) {
  const bool repeats = header.is(RequestKind::repeated_header);
  const Method* const method = method_of(repeats ? in.first.header : header);
  if (method == nullptr) return 0;
  const std::uintptr_t code = method->takes_code ? code_of(in, header, request) : 0;
  const auto [at, is_new] = names_.try_emplace({method, code}, 0);
  if (!is_new) return at->second;
  const std::string name = name_of(*method, code);
  // One of the library's own has no name.
  if (!name.empty()) at->second = wait::trace_name(name + place_of(code));
  return at->second;
}

}  // namespace armature::rmi
