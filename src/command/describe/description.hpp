#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace armature::command {

/// An option or a positional argument of a command, as its help shows it.
struct DescribedOption {
  std::vector<std::string> names;    ///< "-n", "--ranks"; for a positional argument its one name
  std::string placeholder;           ///< what stands for the value; empty where there is none
  std::string help;                  ///< one sentence or more
  std::vector<std::string> choices;  ///< the possible values, where the placeholder lists them
  bool takes_value = false;
};

/// A command and all below it. Hidden commands and options are left out, as in the help.
struct DescribedCommand {
  std::string name;  ///< "armature", "armature bench rma"
  std::string title;
  std::string footer;  ///< the text that the help ends with: examples and paragraphs
  std::vector<DescribedOption> positionals, options;
  std::vector<DescribedCommand> commands;
};

/// Reads the description of a command out of what parses it. `name` is its name with those of the
/// commands above it.
DescribedCommand describe(const CLI::App& app, const std::string& name);

/// A command, and then all below it, in the order of the help.
std::vector<const DescribedCommand*> with_all_below(const DescribedCommand& command);

/// The last word of a command's name.
std::string last_word(const DescribedCommand& command);

}  // namespace armature::command
