#include <cxxabi.h>
#include <dwarf.h>
#include <sys/uio.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/executable/process_symbols.hpp"
#include "command/executable/stack.hpp"

// The rank that died still stands in its signal handler, so its memory map can be read. Nothing
// need be looked up in the dying process itself, where every allocation may be the second fault.

namespace armature::command {

Session open_process(int pid) {
  // Never ask a server for debug information while a job waits to be ended.
  unsetenv("DEBUGINFOD_URLS");
  static char* debug_folders = nullptr;
  static const Dwfl_Callbacks callbacks{.find_elf = dwfl_linux_proc_find_elf,
                                        .find_debuginfo = dwfl_standard_find_debuginfo,
                                        .section_address = nullptr,
                                        .debuginfo_path = &debug_folders};
  Session session(dwfl_begin(&callbacks), &dwfl_end);
  if (session && (dwfl_linux_proc_report(session.get(), pid) != 0 ||
                  dwfl_report_end(session.get(), nullptr, nullptr) != 0)) {
    session.reset();
  }
  return session;
}

namespace {

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

/// The last two parts of a path: enough to find the file.
std::string short_path(std::string_view path) {
  const auto last = path.rfind('/');
  const auto before =
      last == std::string_view::npos || last == 0 ? last : path.rfind('/', last - 1);
  return std::string(before == std::string_view::npos ? path : path.substr(before + 1));
}

using Scopes = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;

/// The scopes around a DIE as they are nested in the file, itself first.
std::pair<Scopes, int> scopes_around(Dwarf_Die* die) {
  Dwarf_Die* raw = nullptr;
  const int count = dwarf_getscopes_die(die, &raw);
  return {Scopes(raw, &std::free), count};
}

/// Follows a DIE's attribute to what it refers to; else the DIE itself.
Dwarf_Die follow(Dwarf_Die die, unsigned key) {
  Dwarf_Attribute attribute;
  Dwarf_Die target;
  const bool refers = dwarf_attr(&die, key, &attribute) != nullptr &&
                      dwarf_formref_die(&attribute, &target) != nullptr;
  return refers ? target : die;
}

/// "main::<lambda(World&)>::operator()": for functions without a linkage name, as those of lambdas.
std::string qualified_name(Dwarf_Die* scope) {
  Dwarf_Die declared = follow(follow(*scope, DW_AT_abstract_origin), DW_AT_specification);
  const auto [around, count] = scopes_around(&declared);
  std::string name;
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&around.get()[i]);
    const bool named = tag == DW_TAG_subprogram || tag == DW_TAG_namespace ||
                       tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
    const char* part = named ? dwarf_diename(&around.get()[i]) : nullptr;
    if (part == nullptr) continue;
    name = name.empty() ? part : fmt::format("{}::{}", part, name);
  }
  return name;
}

/// The name of a function or of an inlined copy of one.
std::string name_of(Dwarf_Die* scope) {
  Dwarf_Attribute attribute;
  for (unsigned key : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
    if (dwarf_attr_integrate(scope, key, &attribute) != nullptr)
      return demangled(dwarf_formstring(&attribute));
  }
  return qualified_name(scope);
}

/// The place that an inlined function was called from.
std::string call_site(Dwarf_Die* cu, Dwarf_Die* scope) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, line = 0;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) != 0 ||
      dwarf_getsrcfiles(cu, &files, nullptr) != 0) {
    return "";
  }
  const char* path = dwarf_filesrc(files, file, nullptr, nullptr);
  return path != nullptr ? fmt::format("{}:{}", short_path(path), line) : "";
}

std::string line_of(Dwfl_Module* module, std::uint64_t address) {
  int line = 0;
  Dwfl_Line* record = dwfl_module_getsrc(module, address);
  const char* path = record != nullptr
                         ? dwfl_lineinfo(record, nullptr, &line, nullptr, nullptr, nullptr)
                         : nullptr;
  return path != nullptr ? fmt::format("{}:{}", short_path(path), line) : "";
}

bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

/// The scopes around an address inside `die` as they are nested in the file, innermost first. A
/// lambda's function lies inside the one that it was written in, whose code is elsewhere. So where
/// no code leads on, every scope is looked into: dwarf_getscopes goes by code alone and does not
/// find it.
bool find_scopes(Dwarf_Die* die, Dwarf_Addr pc, std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die child;
  for (const bool by_code : {true, false}) {
    for (int more = dwarf_child(die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
      if (by_code ? dwarf_haspc(&child, pc) <= 0 : !may_hold_functions(dwarf_tag(&child))) continue;
      if (!find_scopes(&child, pc, scopes) && !by_code) continue;
      if (by_code) scopes.push_back(child);
      return true;
    }
  }
  return false;
}

/// The function at an address, and those inlined into it there, innermost first. Empty without
/// debug information.
std::vector<Frame> frames_from_debug_information(Dwfl_Module* module, std::uint64_t address) {
  std::vector<Frame> frames;
  Dwarf_Addr bias = 0;
  Dwarf_Die* cu = dwfl_module_addrdie(module, address, &bias);
  if (cu == nullptr) return frames;
  std::vector<Dwarf_Die> scopes;
  find_scopes(cu, address - bias, scopes);
  std::string place = line_of(module, address);
  for (Dwarf_Die& each : scopes) {
    Dwarf_Die* const scope = &each;
    const int tag = dwarf_tag(scope);
    if (tag == DW_TAG_subprogram) {
      // The symbol table has the arguments, also of functions that are not seen outside their file.
      const char* symbol = dwfl_module_addrname(module, address);
      frames.push_back(
          {address, symbol != nullptr ? demangled(symbol) : name_of(scope), place, false});
      break;
    }
    if (tag != DW_TAG_inlined_subroutine) continue;
    frames.push_back({address, name_of(scope), place, true});
    place = call_site(cu, scope);
  }
  return frames;
}

std::vector<Frame> named_at(Dwfl* session, std::uint64_t address, bool with_debug_information) {
  Dwfl_Module* module = dwfl_addrmodule(session, address);
  if (module == nullptr) return {{address, "", "", false}};
  if (with_debug_information) {
    auto frames = frames_from_debug_information(module, address);
    if (!frames.empty()) {
      // The symbol table has the arguments where the debug information has no linkage name (main,
      // C).
      if (frames.back().function.empty())
        frames.back().function = demangled(dwfl_module_addrname(module, address));
      return frames;
    }
  }
  Dwarf_Addr start = 0;
  const char* file =
      dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
  const std::string_view path = file != nullptr ? file : "?";
  std::string place(path.substr(path.rfind('/') + 1));
  std::string name = demangled(dwfl_module_addrname(module, address));
  // A file without symbols has a twin that has them: it can be asked for the place in the file.
  if (name.empty()) place += fmt::format("+{:#x}", address - start);
  return {{address, std::move(name), std::move(place), false}};
}

std::vector<Frame> frames_at(Dwfl* session, std::uint64_t address, bool with_debug_information) {
  std::vector<Frame> frames = named_at(session, address, with_debug_information);
  Dwfl_Module* const module = dwfl_addrmodule(session, address);
  const char* const file = module == nullptr ? nullptr
                                             : dwfl_module_info(module, nullptr, nullptr, nullptr,
                                                                nullptr, nullptr, nullptr, nullptr);
  if (file != nullptr)
    for (Frame& frame : frames) frame.module = file;
  return frames;
}

/// Whether the kernel put this return address on the stack, to come back from a signal handler: the
/// frame behind it was interrupted, it has not called anything.
bool is_signal_return(int pid, std::uint64_t address) {
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 9> code = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  std::array<unsigned char, code.size()> there{};
  const iovec to{there.data(), there.size()};
  const iovec from{reinterpret_cast<void*>(address), there.size()};
  return process_vm_readv(pid, &to, 1, &from, 1, 0) == static_cast<ssize_t>(there.size()) &&
         there == code;
#else
  static_cast<void>(pid);
  static_cast<void>(address);
  return false;
#endif
}

}  // namespace

std::vector<Frame> symbolise(int pid, std::span<const std::uint64_t> addresses, int took_ms_max) {
  const std::uint64_t start_ns = base::now_ns();
  const Session session = open_process(pid);
  std::vector<Frame> result;
  bool interrupted = false;  // the frame before was the return from a signal handler
  for (const std::uint64_t address : addresses) {
    if (is_signal_return(pid, address)) {
      result.push_back({address, signal_return, "", false});
      interrupted = true;
      continue;
    }
    // A return address is behind the call, perhaps in the next line or function.
    const std::uint64_t inside = interrupted || address == 0 ? address : address - 1;
    interrupted = false;
    const bool in_time =
        base::now_ns() - start_ns < static_cast<std::uint64_t>(took_ms_max) * 1'000'000;
    auto frames = session ? frames_at(session.get(), inside, in_time)
                          : std::vector<Frame>{{address, "", "", false}};
    result.insert(result.end(), frames.begin(), frames.end());
  }
  return result;
}

}  // namespace armature::command
