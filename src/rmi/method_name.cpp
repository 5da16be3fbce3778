// A pointer to a method says at run time where its code is. The loader knows names of code only
// where others may call it, which the methods of a program need not be. What is always there is the
// type of the entry that unpacks the arguments, as the compiler spells it.
#include "rmi/method_name.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace armature::rmi {
namespace {

std::string symbol_at(std::uintptr_t code) {
  Dl_info found{};
  if (code < detail::CodePointer::virtual_max ||
      dladdr(reinterpret_cast<void*>(code), &found) == 0 || found.dli_sname == nullptr ||
      reinterpret_cast<std::uintptr_t>(found.dli_saddr) != code)
    return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : found.dli_sname;
}

/// "A, B<C, D>, E" in three, up to the bracket that ends the list.
std::vector<std::string_view> elements(std::string_view list) {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    const bool ends = (c == '>' || c == ')' || c == '}') && depth-- == 0;
    if (!ends && (c != ',' || depth > 0)) continue;
    all.push_back(list.substr(begin, i - begin));
    begin = i + 2;
    if (ends) break;
  }
  return all;
}

/// Lists what stands in `spelling` between `before` and the end of that list.
std::vector<std::string_view> arguments_of(std::string_view spelling, std::string_view before) {
  const std::size_t at = spelling.find(before);
  if (at == std::string_view::npos) return {};
  return elements(spelling.substr(at + before.size()));
}

}  // namespace

std::string name_of(const detail::Method& method, std::uintptr_t code) {
  const std::string_view spelling = method.name;
  const auto function = arguments_of(spelling, "Entry = armature::detail::FunctionEntry<");
  const auto member = arguments_of(spelling, "Entry = armature::detail::MemberEntry<");
  const std::string_view type = !function.empty()    ? function[0]
                                : member.size() >= 2 ? member[1]
                                                     : std::string_view();
  if (type.empty() || type.find("armature::detail::") != std::string_view::npos) return {};
  const std::string symbol = method.takes_code ? symbol_at(code) : std::string();
  if (!symbol.empty()) return symbol;
  if (function.empty() && type.find(std::string(member[0]) + "::*") == std::string_view::npos)
    return std::string(type) + " of " + std::string(member[0]);
  return std::string(type);
}

}  // namespace armature::rmi
