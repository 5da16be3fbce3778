// The completion for zsh: a function for each command, which hands its options to zsh's
// `_arguments`.
#include <algorithm>

#include <fmt/format.h>

#include "command/describe/completion.hpp"

namespace armature::command {
namespace {

/// Text between brackets and colons of a specification, which stands in single quotes.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
    if (c == '\'') result += "\\''";
  }
  return result;
}

std::string function_name(const DescribedCommand& command) {
  std::string name = "_" + command.name;
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string action(const DescribedOption& option) {
  switch (offer_for(option)) {
    case Offer::nothing:
      return " ";
    case Offer::choices:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case Offer::folders:
      return "_files -/";
    case Offer::commands:
      return "_armature_commands";
    case Offer::files:
    case Offer::program:
      break;
  }
  return "_files";
}

/// One specification for each name of an option, which shut out each other.
void append_option(std::string& function, const DescribedOption& option) {
  for (const std::string& name : option.names) {
    function += " \\\n    '";
    if (option.names.size() > 1) function += fmt::format("({})", fmt::join(option.names, " "));
    const char* const with_value = name.starts_with("--") ? "=" : "+";
    function +=
        fmt::format("{}{}[{}]", name, option.takes_value ? with_value : "", quoted(option.help));
    if (option.takes_value)
      function += fmt::format(":{}:{}", quoted(option.placeholder), action(option));
    function += "'";
  }
}

std::string list_of_commands(const DescribedCommand& command) {
  std::string list;
  for (const DescribedCommand& below : command.commands)
    list += fmt::format("    '{}:{}'\n", last_word(below), quoted(below.title));
  return fmt::format(
      "{}_commands() {{\n  local -a commands=(\n{}  )\n"
      "  _describe -t commands command commands\n}}\n",
      function_name(command), list);
}

std::string function_of(const DescribedCommand& command) {
  std::string function = fmt::format("{}() {{\n", function_name(command));
  const bool has_commands = !command.commands.empty();
  if (has_commands) function += "  local context state state_descr line\n  typeset -A opt_args\n";
  function += has_commands ? "  _arguments -C" : "  _arguments -s";
  for (const DescribedOption& option : command.options) append_option(function, option);
  if (has_commands) {
    function += fmt::format(" \\\n    '1:command:{}_commands' \\\n    '*::argument:->words'\n",
                            function_name(command));
    function += "  [ \"$state\" != words ] || case $line[1] in\n";
    for (const DescribedCommand& below : command.commands)
      function += fmt::format("    {}) {} ;;\n", last_word(below), function_name(below));
    return function + "  esac\n}\n";
  }
  for (const DescribedOption& argument : command.positionals) {
    const std::string& name = argument.names.front();
    function += offer_for(argument) == Offer::program
                    ? " \\\n    '1:program:_files -g \"*(-*)\"' \\\n    '*::argument:_normal -P'"
                    : fmt::format(" \\\n    ':{}:{}'", quoted(name), action(argument));
  }
  return function + "\n}\n";
}

}  // namespace

std::string zsh_completion(const DescribedCommand& armature) {
  std::string script =
      "#compdef armature\n# Made of armature's help (`armature completion zsh`).\n";
  for (const DescribedCommand* command : with_all_below(armature)) {
    if (!command->commands.empty()) script += list_of_commands(*command);
    script += function_of(*command);
  }
  return script + "_armature \"$@\"\n";
}

}  // namespace armature::command
