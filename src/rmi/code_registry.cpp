// A module is known by its build id, or where it has none by its name. Its number in a message is a
// hash of that, equal wherever the same file was loaded.
#include "rmi/code_registry.hpp"

#include <link.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armature/detail/method.hpp"
#include "base/build_id.hpp"
#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "image/copies.hpp"
#include "wait/rank_context.hpp"

namespace armature {
namespace detail {
MainModule main_module;
}

namespace {

struct Module {
  std::uint16_t id = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string name;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> readable;  // there may be gaps between

  [[nodiscard]] bool can_read(std::uintptr_t at, std::size_t bytes) const {
    return std::any_of(readable.begin(), readable.end(), [&](const auto& part) {
      return at >= part.first && at < part.second && bytes <= part.second - at;
    });
  }
};

std::uint64_t token_at(std::uint16_t module, std::uint64_t offset) {
  return (std::uint64_t{module} << 32) | offset;
}

struct Modules {
  std::mutex mutex;
  std::vector<Module> all;
};
/// The process's own runtime has them for all: what is loaded is the same, and the inlined half of
/// calls knows one program.
Modules& registry() { return base::detail::runtimes.of_process.runtime.get<Modules>(); }
std::mutex& modules_mutex() { return registry().mutex; }
std::vector<Module>& modules() { return registry().all; }

std::uint16_t hash(std::string_view text) {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  const auto folded = static_cast<std::uint16_t>(h ^ (h >> 16));
  return folded == 0 ? 1 : folded;  // 0 means: no module
}

int add_module(dl_phdr_info* info, std::size_t, void* first) {
  const bool is_program = std::exchange(*static_cast<bool*>(first), false);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> readable;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t at = info->dlpi_addr + segment.p_vaddr;
    begin = std::min(begin, at);
    end = std::max<std::uintptr_t>(end, at + segment.p_memsz);
    if ((segment.p_flags & PF_R) != 0) readable.emplace_back(at, at + segment.p_memsz);
  }
  if (begin >= end || end - begin > UINT32_MAX) return 0;
  const std::string_view id = base::build_id(*info);
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::uint16_t number =
      !id.empty() ? hash(id) : (is_program ? hash(fmt::format("{}", end - begin)) : hash(name));
  if (is_program && detail::main_module.token == 0)
    detail::main_module = {begin, end - begin, token_at(number, 0)};
  const bool known = std::any_of(modules().begin(), modules().end(),
                                 [&](const Module& m) { return m.begin == begin; });
  if (!known)
    modules().push_back(
        {number, begin, end, std::string(is_program ? "the program" : name), std::move(readable)});
  return 0;
}

void look_again() {
  const base::ProcessMemory kept;
  bool first = true;
  dl_iterate_phdr(add_module, &first);
}

template <class Predicate>
const Module* find(Predicate&& predicate) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = std::find_if(modules().begin(), modules().end(), predicate);
    if (found != modules().end()) return &*found;
    look_again();  // a library that was loaded since
  }
  return nullptr;
}

std::uint64_t token_of(std::uintptr_t address) {
  if (const image::Copies* const copies = image::copies()) address = copies->original_of(address);
  const std::lock_guard lock(modules_mutex());
  const Module* module =
      find([&](const Module& m) { return address >= m.begin && address < m.end; });
  if (module == nullptr)
    base::fail(
        Errc::bad_argument,
        fmt::format("a remote call of code at {:#x}, which lies in no loaded module: code made "
                    "at run time cannot be called remotely",
                    address));
  // A number of 16 bits: one program in some thousands has one that is also a library's. It is the
  // first module everywhere, and so the one that is found by it.
  const auto other = std::find_if(modules().begin(), modules().end(), [&](const Module& m) {
    return m.id == module->id && m.begin != module->begin;
  });
  if (module != &modules().front() && other != modules().end())
    base::fail(Errc::bad_argument,
               fmt::format("a remote call of code in {}: {} has the same number, a hash of the "
                           "build id; link it anew with another one (--build-id=uuid)",
                           module->name, other->name));
  return token_at(module->id, address - module->begin);
}

/// The calling rank's own: a method is to find its globals.
std::uintptr_t own_of_rank(std::uintptr_t address) {
  const image::Copies* const copies = image::copies();
  const wait::RankContext* const me = copies != nullptr ? wait::current_rank() : nullptr;
  return me != nullptr ? copies->own_of(me->space.me(), address) : address;
}

}  // namespace

namespace rmi {
void find_modules() {
  const std::lock_guard lock(modules_mutex());
  look_again();
}

void name_code_of_copies() {
  find_modules();
  detail::main_module.bytes = 0;  // which has all code come the longer way
}
}  // namespace rmi

namespace detail {

std::uint64_t make_token(const void* address) {
  return token_of(reinterpret_cast<std::uintptr_t>(address));
}

void* from_token(std::uint64_t token) {
  const std::lock_guard lock(modules_mutex());
  const auto id = static_cast<std::uint16_t>(token >> 32);
  const auto offset = static_cast<std::uint32_t>(token);
  const Module* module = find([&](const Module& m) { return m.id == id; });
  if (module == nullptr || !module->can_read(module->begin + offset, sizeof(Method)))
    base::fail(Errc::corrupt,
               fmt::format("a request names code at offset {:#x} of module {:#06x}, which is not "
                           "loaded here: do all ranks run the same program and libraries?",
                           offset, id));
  return reinterpret_cast<void*>(own_of_rank(module->begin + offset));
}

CodePointer encode_elsewhere(std::uintptr_t code, std::ptrdiff_t adjust) {
  if (adjust != static_cast<std::int16_t>(adjust))
    base::fail(Errc::bad_argument,
               fmt::format("a remote call of a method of a base class that lies {} bytes into the "
                           "object; at most 32767 can be told",
                           adjust));
  if (code == 0) base::fail(Errc::bad_argument, "a remote call of a null pointer");
  const std::uint64_t above = static_cast<std::uint64_t>(adjust) << 48;
  return {(code < CodePointer::virtual_max ? code : token_of(code)) | above};
}

std::uintptr_t decode(CodePointer pointer) {
  const std::uint64_t in_main = pointer.bits ^ main_module.token;
  if (in_main < main_module.bytes) [[likely]]
    return main_module.begin + in_main;
  if (pointer.token() < CodePointer::virtual_max) return pointer.token();
  return reinterpret_cast<std::uintptr_t>(from_token(pointer.token()));
}

}  // namespace detail
}  // namespace armature
