#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "armature/version.hpp"
#include "base/fail.hpp"
#include "command/commands.hpp"

// `armature COMMAND ...`: the table of commands, and what happens to their errors.

namespace armature::command {
namespace {

constexpr int status_usage = 2;

constexpr void (*commands[])(CLI::App&) = {
    add_run,     add_restart, add_checkpoint, add_resize,  add_join, add_inspect, add_balance,
    add_predict, add_doctor,  add_bench,      add_outlive, add_gdb,  add_help,    add_completion};

constexpr const char* footer = R"(
Examples:
  armature run -n 4 ./prog input.dat     start 4 ranks of a program
  armature run --stall 20 -n 2 ./prog    say who waits for whom when nothing moves for 20 s
  armature restart saved                 go on with a job that has written a checkpoint
  armature resize 4711 --processes 3     more or fewer processes for a job of virtual ranks
  armature join 4711                     a further node for a job of armature run --elastic
  armature inspect                       what the ranks of all running jobs are doing
  armature gdb 3                         the debugger, attached to the process of rank 3
  armature doctor                        is this machine fit, and if not, what to do

`armature COMMAND --help` tells more about a command.)";

/// Names options without the value that CLI11 adds to those that switch something off.
class Formatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    constexpr std::string_view value = "{false}";
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    for (std::size_t at; (at = name.find(value)) != std::string::npos;)
      name.erase(at, value.size());
    return name;
  }
};

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name = "armature";
  for (auto used = app.get_subcommands(); !used.empty(); used = used.front()->get_subcommands())
    name += " " + used.front()->get_name();
  fmt::print(stderr, "{}: {}\nTry: {} --help\n", name, error.what(), name);
  return status_usage;
}

/// The status, unless what was printed could not be written: that is no success.
int checked(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const std::string why = errno != 0 ? ": " + base::system_text(errno) : "";
  fmt::print(stderr, "armature: the output could not be written{}\n", why);
  return status != 0 ? status : 1;
}

int main(std::vector<std::string> words) {
  CLI::App app{"Armature: programs of many ranks that share one address space", "armature"};
  app.formatter(std::make_shared<Formatter>());  // the commands' too
  app.set_version_flag("--version", "armature " ARMATURE_VERSION_STRING);
  app.require_subcommand(0, 1);
  app.footer(footer);
  for (const auto add : commands) add(app);

  if (words.empty()) {
    fmt::print("{}\n", app.help());
    return 0;
  }
  if (words.front() == "run") split_off_program(*app.get_subcommand("run"), words);
  if (words.front() == "outlive") split_off_outliving(words);
  if (words.front() == "predict") split_off_predicted(words);
  if (words.front() == "gdb") split_off_gdb(words);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));  // throws for a word that is no command
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help, --version
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  } catch (const std::exception& error) {
    // The text of fmt says less than `checked` will.
    if (std::ferror(stdout) == 0) fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace armature::command

int main(int argc, char** argv) {
  using namespace armature::command;
  return checked(main(std::vector<std::string>(argv + 1, argv + argc)));
}
