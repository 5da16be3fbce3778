#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command/commands.hpp"
#include "command/doctor/checks.hpp"
#include "command/json.hpp"

namespace armature::command {
namespace {

constexpr const char* footer = R"(
Examples:
  armature doctor          one line per thing that matters, with the remedy where there is one
  armature doctor --json   the same for a program
  armature doctor --network
                           between nodes: interfaces, which one is taken, how transfers travel

The exit status is 1 when jobs will not run here, else 0.)";

constexpr void (*checks[])(Findings&) = {check_processors,    check_waiting, check_memory,
                                         check_address_space, check_copies,  check_limits,
                                         check_engines};

struct Look {
  const char* word;
  const char* colour;
};
Look look(Health health) {
  switch (health) {
    case Health::good:
      return {"good", "\033[32m"};
    case Health::note:
      return {"note", "\033[2m"};
    case Health::weak:
      return {"weak", "\033[33m"};
    case Health::bad:
      break;
  }
  return {"BAD", "\033[1;31m"};
}

void print(const Findings& findings) {
  const bool coloured = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  for (const auto& finding : findings) {
    const auto [word, colour] = look(finding.health);
    fmt::print("{}{:<5}{} {}: {}\n", coloured ? colour : "", word, coloured ? "\033[0m" : "",
               finding.what, finding.found);
    if (!finding.remedy.empty()) fmt::print("        {}\n", finding.remedy);
  }
}

void print_json(const Findings& findings) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& finding : findings)
    all.push_back({{"what", finding.what},
                   {"health", look(finding.health).word},
                   {"found", finding.found},
                   {"remedy", finding.remedy}});
  fmt::print("{}\n", text_of(all));
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto* command = app.add_subcommand("doctor", "Is this machine fit, and if not, what to do");
  command->footer(footer);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "A list of objects instead of text");
  auto network = std::make_shared<bool>(false);
  command->add_flag("--network", *network, "What ranks of several nodes would speak over");
  command->callback([json, network] {
    Findings findings;
    if (*network)
      check_network(findings);
    else
      for (const auto check : checks) check(findings);
    if (*json) {
      print_json(findings);
    } else {
      print(findings);
    }
    const bool bad = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.health == Health::bad;
    });
    if (bad) throw CLI::RuntimeError(1);
  });
}

}  // namespace armature::command
