#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/commands.hpp"
#include "command/describe/completion.hpp"
#include "command/describe/man_page.hpp"

// `armature help` and `armature completion`: what the parser knows of commands and options, as
// text, as manual pages and as completions of shells.

namespace armature::command {
namespace {

constexpr const char* completion_footer = R"(
Examples:
  source <(armature completion bash)    in ~/.bashrc
  armature completion zsh > _armature   in a folder of zsh's fpath

An installed copy has both below its prefix: share/bash-completion/completions/armature, and
share/zsh/site-functions/_armature.)";

void write_page(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::trunc);
  if (!(file << text) || !file.flush())
    base::fail(Errc::start, fmt::format("help --man-pages: {} cannot be written: {}", path.string(),
                                        base::system_text(errno)));
}

void write_man_pages(const CLI::App& app, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    base::fail(Errc::start, fmt::format("help --man-pages: {} cannot be made: {}", folder.string(),
                                        error.message()));
  const DescribedCommand armature = describe(app, "armature");
  write_page(folder / "armature.1", man_page_of_all(armature));
  for (const DescribedCommand& command : armature.commands)
    write_page(folder / (man_page_name(command) + ".1"), man_page(command, armature));
}

void print_help_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() != name) continue;
    fmt::print("{}\n", command->help("armature"));
    return;
  }
  throw CLI::ValidationError(fmt::format("there is no command '{}'", name));
}

}  // namespace

void add_help(CLI::App& app) {
  auto* help = app.add_subcommand("help", "Explain a command");
  help->footer("");
  struct Arguments {
    std::string about, folder;
  };
  auto arguments = std::make_shared<Arguments>();
  help->add_option("COMMAND", arguments->about, "The command to explain (default: all in short)")
      ->type_name("");
  help->add_option("--man-pages", arguments->folder,
                   "Write the manual pages of all commands to this folder instead")
      ->type_name("DIR");
  help->callback([&app, arguments] {
    if (!arguments->folder.empty()) {
      write_man_pages(app, arguments->folder);
    } else if (arguments->about.empty()) {
      // App::help of an app with a parsed command is the help of that command.
      fmt::print("{}\n",
                 app.get_formatter()->make_help(&app, "armature", CLI::AppFormatMode::Normal));
    } else {
      print_help_of(app, arguments->about);
    }
  });
}

void add_completion(CLI::App& app) {
  auto* completion =
      app.add_subcommand("completion", "What a shell needs to complete this command");
  completion->footer(completion_footer);
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "Which shell")->type_name("bash|zsh")->required();
  completion->callback([&app, shell] {
    const DescribedCommand armature = describe(app, "armature");
    if (*shell == "bash") {
      fmt::print("{}", bash_completion(armature));
    } else if (*shell == "zsh") {
      fmt::print("{}", zsh_completion(armature));
    } else {
      throw CLI::ValidationError("SHELL", fmt::format("'{}' is neither bash nor zsh", *shell));
    }
  });
}

}  // namespace armature::command
