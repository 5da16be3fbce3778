// The completion for bash: one function that walks over the words before the cursor, and three
// tables made of the description: the words that may follow a command, what an option's value is,
// and what positional arguments are.
#include <fmt/format.h>

#include "command/describe/completion.hpp"

namespace armature::command {
namespace {

constexpr const char* walk = R"BASH(
_armature() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=armature argument=0 at=1 value
  # bash splits --option=value into three words.
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case ${COMP_WORDS[at]} in
      =) ;;
      --)
        if [ "$(_armature_argument "$command" 0)" = program ]; then argument=program; fi
        ;;
      -*)
        value=$(_armature_value "$command" "${COMP_WORDS[at]}")
        if [ -n "$value" ]; then
          at=$((at + 1))
          if [ "${COMP_WORDS[at]}" = = ]; then at=$((at + 1)); fi
        fi
        ;;
      *)
        if [ "$argument" = 0 ] && _armature_is_command "$command ${COMP_WORDS[at]}"; then
          command="$command ${COMP_WORDS[at]}"
        elif [ "$(_armature_argument "$command" 0)" = program ]; then
          argument=program
        else
          argument=$((argument + 1))
        fi
        ;;
    esac
    [ "$argument" != program ] || break
    at=$((at + 1))
  done
  if [ "$argument" = program ] && [ "$at" -lt "$COMP_CWORD" ]; then
    _armature_offer files "$word"  # the program, or its own arguments
    return
  fi
  value=
  case $before in -*) value=$(_armature_value "$command" "$before") ;; esac
  if [ -n "$value" ]; then
    _armature_offer "$value" "$word"
  elif [ "${word#-}" != "$word" ]; then
    _armature_offer "$(_armature_options "$command")" "$word"
  else
    value=$(_armature_argument "$command" "$argument")
    _armature_offer "${value:-$(_armature_commands "$command")}" "$word"
  fi
}

_armature_offer() {
  local word=$2
  COMPREPLY=()
  case $1 in
    nothing) ;;
    files | program) mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames 2>/dev/null ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames 2>/dev/null ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word") ;;
  esac
}

complete -F _armature armature
)BASH";

std::string offered(const DescribedOption& option, const DescribedCommand& armature) {
  switch (offer_for(option)) {
    case Offer::nothing:
      return "nothing";
    case Offer::files:
      return "files";
    case Offer::folders:
      return "folders";
    case Offer::program:
      return "program";
    case Offer::choices:
      return fmt::format("{}", fmt::join(option.choices, " "));
    case Offer::commands:
      break;
  }
  std::string names;
  for (const DescribedCommand& command : armature.commands) names += last_word(command) + " ";
  return names;
}

/// A function of the shell that answers with `text(command)` for each command.
template <class Text>
std::string table(const char* name, const DescribedCommand& armature, const Text& text) {
  std::string function = fmt::format("{}() {{\n  case $1 in\n", name);
  for (const DescribedCommand* command : with_all_below(armature))
    if (const std::string line = text(*command); !line.empty())
      function += fmt::format("    '{}') {} ;;\n", command->name, line);
  return function + "  esac\n}\n";
}

std::string options_of(const DescribedCommand& command) {
  std::string words;
  for (const DescribedOption& option : command.options)
    for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
  return fmt::format("echo '{}'", words);
}

std::string commands_of(const DescribedCommand& command) {
  std::string words;
  for (const DescribedCommand& below : command.commands)
    words += (words.empty() ? "" : " ") + last_word(below);
  return words.empty() ? "echo nothing" : fmt::format("echo '{}'", words);
}

}  // namespace

Offer offer_for(const DescribedOption& option) {
  if (!option.choices.empty()) return Offer::choices;
  const std::string& name = option.placeholder.empty() ? option.names.front() : option.placeholder;
  if (name == "PROGRAM") return Offer::program;
  if (name == "COMMAND") return Offer::commands;
  if (name.starts_with("FILE")) return Offer::files;
  if (name == "DIR" || name == "DIRECTORY") return Offer::folders;
  return Offer::nothing;
}

std::string bash_completion(const DescribedCommand& armature) {
  std::string script =
      "# Completion of armature for bash, made of its help (`armature completion bash`).\n";
  script += table("_armature_is_command", armature,
                  [](const DescribedCommand&) { return std::string("true"); });
  script.insert(script.rfind("  esac"), "    *) false ;;\n");
  script += table("_armature_commands", armature, commands_of);
  script += table("_armature_options", armature, options_of);
  script += table("_armature_value", armature, [&](const DescribedCommand& command) {
    std::string cases;
    for (const DescribedOption& option : command.options)
      if (option.takes_value)
        cases += fmt::format(" {}) echo '{}' ;;", fmt::join(option.names, " | "),
                             offered(option, armature));
    return cases.empty() ? cases : fmt::format("case $2 in{} esac", cases);
  });
  script += table("_armature_argument", armature, [&](const DescribedCommand& command) {
    std::string cases;
    for (std::size_t i = 0; i < command.positionals.size(); ++i)
      cases += fmt::format(" {}) echo '{}' ;;", i, offered(command.positionals[i], armature));
    return cases.empty() ? cases : fmt::format("case $2 in{} esac", cases);
  });
  return script + walk;
}

}  // namespace armature::command
