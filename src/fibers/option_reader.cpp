#include "fibers/option_reader.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace armature::fibers {
namespace {

using Names = OptionCall::Names;
using Order = OptionState::Order;

constexpr int is_over = -1, is_unknown = '?', is_operand_in_order = 1;

class OptionReader {
 public:
  OptionReader(OptionState& state, OptionVariables& variables, const OptionCall& call)
      : state_(state), variables_(variables), call_(call), letters_(call.letters) {}

  int read() {
    variables_.argument = nullptr;
    begin();
    if (state_.rest != nullptr && *state_.rest != '\0') return read_letter();
    pass_operands();
    if (at() != end() && std::string_view(argument()) == "--") end_options();
    if (at() == end()) {
      if (state_.first != state_.last) at() = state_.first;
      return is_over;
    }
    if (is_operand(argument())) {
      if (state_.order == Order::require) return is_over;
      variables_.argument = call_.arguments[static_cast<std::size_t>(at()++)];
      return is_operand_in_order;
    }
    if (call_.names != Names::letters && argument()[1] == '-') return read_word("--");
    if (may_be_word_by_one_dash())
      if (const int found = read_word("-"); found != is_over) return found;
    state_.rest = argument() + 1;
    return read_letter();
  }

 private:
  int& at() { return variables_.index; }
  [[nodiscard]] int end() const { return static_cast<int>(call_.arguments.size()); }
  char* argument() { return call_.arguments[static_cast<std::size_t>(at())]; }
  static bool is_operand(const char* text) { return text[0] != '-' || text[1] == '\0'; }
  [[nodiscard]] bool may_print() const { return variables_.prints != 0 && letters_[0] != ':'; }
  [[nodiscard]] int is_missing() const { return letters_[0] == ':' ? ':' : is_unknown; }
  [[nodiscard]] const char* letter(char one) const {
    return one == ':' || one == ';' ? nullptr : std::strchr(letters_, one);
  }
  template <class... Values>
  int complain(fmt::format_string<Values...> form, Values&&... values) const {
    if (may_print())
      (void)std::fputs(fmt::format("{}: {}\n", call_.arguments[0],
                                   fmt::format(form, std::forward<Values>(values)...))
                           .c_str(),
                       stderr);
    return is_unknown;
  }

  void begin() {
    const char first = letters_[0];
    if (at() == 0 || !state_.has_begun) {
      if (at() == 0) at() = 1;
      state_ = {.has_begun = true, .first = at(), .last = at()};
      if (first == '-')
        state_.order = Order::as_they_come;
      else if (first == '+' || call_.is_posix || std::getenv("POSIXLY_CORRECT") != nullptr)
        state_.order = Order::require;
    }
    if (first == '-' || first == '+') ++letters_;
  }

  /// Has the options that were read last stand before the operands that stood before them.
  void take_options_forward() {
    if (state_.first == state_.last || state_.last == at()) return;
    auto* const all = const_cast<char**>(call_.arguments.data());
    std::rotate(all + state_.first, all + state_.last, all + at());
    state_.first += at() - state_.last;
    state_.last = at();
  }

  void pass_operands() {
    // The program may have gone back.
    state_.last = std::min(state_.last, at());
    state_.first = std::min(state_.first, at());
    if (state_.order != Order::permute) return;
    take_options_forward();
    if (state_.last != at()) state_.first = at();
    while (at() < end() && is_operand(argument())) ++at();
    state_.last = at();
  }

  /// Behind "--" all are operands.
  void end_options() {
    ++at();
    if (state_.first == state_.last)
      state_.first = at();
    else
      take_options_forward();
    state_.last = end();
    at() = end();
  }

  int read_letter() {
    const char one = *state_.rest++;
    const char* const found = letter(one);
    if (*state_.rest == '\0') ++at();
    if (found == nullptr) {
      variables_.option = static_cast<unsigned char>(one);
      return complain("invalid option -- '{}'", one);
    }
    if (found[0] == 'W' && found[1] == ';' && call_.words != nullptr) return read_word_of_letter();
    if (found[1] != ':') return static_cast<unsigned char>(one);
    const bool needs_one = found[2] != ':';
    if (*state_.rest != '\0' || needs_one) {
      if (!take_argument_of_letter(one)) return is_missing();
    } else {
      state_.rest = nullptr;
    }
    return static_cast<unsigned char>(one);
  }

  bool take_argument_of_letter(char one) {
    const char* const rest = std::exchange(state_.rest, nullptr);
    if (*rest != '\0') {
      variables_.argument = const_cast<char*>(rest);
      ++at();
    } else if (at() == end()) {
      variables_.option = static_cast<unsigned char>(one);
      (void)complain("option requires an argument -- '{}'", one);
      return false;
    } else {
      variables_.argument = argument();
      ++at();
    }
    return true;
  }

  /// Reads "-W word" as "--word".
  int read_word_of_letter() {
    if (!take_argument_of_letter('W')) return is_missing();
    const char* const word = std::exchange(variables_.argument, nullptr);
    --at();  // read_word goes behind it
    return read_word(word, "-W ");
  }

  [[nodiscard]] bool may_be_word_by_one_dash() {
    return call_.names == Names::words_by_one_dash &&
           (argument()[2] != '\0' || letter(argument()[1]) == nullptr);
  }

  int read_word(const char* prefix) { return read_word(argument() + std::strlen(prefix), prefix); }

  /// Reads a word that may be shortened, as long as it can only mean one.
  int read_word(const char* text, const char* prefix) {
    const std::string_view name(text, std::strcspn(text, "="));
    const option* found = nullptr;
    bool is_ambiguous = false;
    for (const option* one = call_.words; one->name != nullptr; ++one) {
      if (!std::string_view(one->name).starts_with(name)) continue;
      if (std::string_view(one->name) == name) {
        found = one;
        is_ambiguous = false;
        break;
      }
      is_ambiguous |= found != nullptr && !are_the_same(*found, *one);
      if (found == nullptr) found = one;
    }
    if (found == nullptr) return read_unknown_word(text, prefix);
    state_.rest = nullptr;
    ++at();
    if (!is_ambiguous) return take_word(*found, text + name.size(), prefix);
    variables_.option = 0;
    return complain("option '{}{}' is ambiguous; possibilities:{}", prefix, text,
                    possibilities(*found, name, prefix));
  }

  [[nodiscard]] bool are_the_same(const option& a, const option& b) const {
    return call_.names != Names::words_by_one_dash && a.has_arg == b.has_arg && a.flag == b.flag &&
           a.val == b.val;
  }

  [[nodiscard]] std::string possibilities(const option& first, std::string_view name,
                                          const char* prefix) const {
    std::string all;
    for (const option* one = call_.words; one->name != nullptr; ++one)
      if (std::string_view(one->name).starts_with(name) &&
          (one == &first || !are_the_same(first, *one)))
        all += fmt::format(" '{}{}'", prefix, one->name);
    return all;
  }

  int read_unknown_word(const char* text, const char* prefix) {
    const bool may_be_letters = call_.names == Names::words_by_one_dash &&
                                std::string_view(prefix) == "-" &&
                                std::strchr(letters_, *text) != nullptr;
    if (may_be_letters) return is_over;
    state_.rest = nullptr;
    ++at();
    variables_.option = 0;
    return complain("unrecognized option '{}{}'", prefix, text);
  }

  int take_word(const option& found, const char* behind, const char* prefix) {
    if (*behind == '=') {
      if (found.has_arg == no_argument) {
        variables_.option = found.val;
        return complain("option '{}{}' doesn't allow an argument", prefix, found.name);
      }
      variables_.argument = const_cast<char*>(behind + 1);
    } else if (found.has_arg == required_argument) {
      if (at() >= end()) {
        variables_.option = found.val;
        (void)complain("option '{}{}' requires an argument", prefix, found.name);
        return is_missing();
      }
      variables_.argument = argument();
      ++at();
    }
    if (call_.word != nullptr) *call_.word = static_cast<int>(&found - call_.words);
    if (found.flag == nullptr) return found.val;
    *found.flag = found.val;
    return 0;
  }

  OptionState& state_;
  OptionVariables& variables_;
  const OptionCall& call_;
  const char* letters_;
};

}  // namespace

int read_option(OptionState& state, OptionVariables& variables, const OptionCall& call) {
  return call.arguments.empty() ? is_over : OptionReader(state, variables, call).read();
}

}  // namespace armature::fibers
