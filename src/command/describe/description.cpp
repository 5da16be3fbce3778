// The description of commands from which manual pages and completions are made. There is one list
// of commands and options, which is the parser's own: a second one, kept by hand, would soon lack
// an option.
#include "command/describe/description.hpp"

#include <sstream>

#include <fmt/format.h>

namespace armature::command {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

/// "a|b|c" lists the values that are possible; so does what the parser adds for those that it
/// checks: "NAME:{a,b,c}". Of other checks it adds a text, "INT:INT in [1 - 9]", or the same word.
void read_type(const std::string& type, DescribedOption& option) {
  const std::size_t colon = type.find(':');
  option.placeholder = type.substr(0, colon);
  const std::string check = colon == std::string::npos ? "" : type.substr(colon + 1);
  if (check.starts_with('{') && check.ends_with('}')) {
    option.choices = split(check.substr(1, check.size() - 2), ',');
    option.help += fmt::format(" ({})", fmt::join(option.choices, ", "));
  } else if (type.find('|') != std::string::npos && type.find(' ') == std::string::npos) {
    option.choices = split(type, '|');
  } else if (!check.empty() && check != option.placeholder) {
    option.help += fmt::format(" ({})", check);
  }
}

DescribedOption describe(const CLI::Option& option) {
  DescribedOption described;
  described.help = option.get_description();
  read_type(option.get_type_name(), described);
  if (option.get_positional()) {
    described.names = {option.get_name(true)};
    described.takes_value = true;
    return described;
  }
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.takes_value = option.get_items_expected_max() > 0;
  if (!described.takes_value) described.placeholder.clear();
  if (!option.get_default_str().empty() && described.takes_value)
    described.help += fmt::format(" (default {})", option.get_default_str());
  return described;
}

void add_below(const DescribedCommand& command, std::vector<const DescribedCommand*>& all) {
  all.push_back(&command);
  for (const DescribedCommand& below : command.commands) add_below(below, all);
}

}  // namespace

DescribedCommand describe(const CLI::App& app, const std::string& name) {
  DescribedCommand command;
  command.name = name;
  command.title = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    auto& list = option->get_positional() ? command.positionals : command.options;
    list.push_back(describe(*option));
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!below->get_group().empty())
      command.commands.push_back(describe(*below, name + " " + below->get_name()));
  return command;
}

std::vector<const DescribedCommand*> with_all_below(const DescribedCommand& command) {
  std::vector<const DescribedCommand*> all;
  add_below(command, all);
  return all;
}

std::string last_word(const DescribedCommand& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

}  // namespace armature::command
