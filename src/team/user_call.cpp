#include "team/user_call.hpp"

#include <algorithm>
#include <iterator>

namespace armature {

namespace {

constexpr const char* call_names[] = {"a call",
                                      "Team::allocate",
                                      "Team::free",
                                      "Team::split",
                                      "Team::create_mutexes",
                                      "Team::destroy_mutexes",
                                      "shared",
                                      "sort",
                                      "stable_sort",
                                      "sort_by_key",
                                      "partition",
                                      "unique",
                                      "nth_value",
                                      "nth_element",
                                      "find_if",
                                      "min_element",
                                      "max_element",
                                      "minmax_element",
                                      "reduce of a range",
                                      "inner_product",
                                      "count_if",
                                      "any_of",
                                      "histogram",
                                      "inclusive_scan of a range",
                                      "exclusive_scan of a range",
                                      "the constructor of a container",
                                      "a container's size()",
                                      "a container's balance()"};
static_assert(std::size(call_names) == static_cast<std::size_t>(detail::UserCall::count));
static_assert(std::size(call_names) <= 32);

}  // namespace

const char* team::name_of(UserCall call) {
  const auto number = static_cast<std::size_t>(call);
  return number < std::size(call_names) ? call_names[number] : "a call of a newer version";
}

team::UserCall team::call_named(std::string_view name) {
  const auto* const found = std::find(std::begin(call_names) + 1, std::end(call_names), name);
  return found == std::end(call_names) ? UserCall::none
                                       : static_cast<UserCall>(found - std::begin(call_names));
}

}  // namespace armature
