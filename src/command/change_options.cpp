#include "command/change_options.hpp"

#include "command/numbers.hpp"
#include "space/layout.hpp"

namespace armature::command {

CLI::Option* add_change_options(CLI::App& command, const std::shared_ptr<ChangeOptions>& options,
                                const std::string& job, const std::string& processes) {
  command.add_option("JOB", options->job, job)->required()->type_name("");
  CLI::Option* const number = command
                                  .add_option_function<std::string>(
                                      "--processes",
                                      [options](const std::string& text) {
                                        options->processes = static_cast<std::uint32_t>(
                                            parse_count("--processes", text, 1, space::ranks_max));
                                      },
                                      processes)
                                  ->type_name("P");
  command
      .add_option_function<std::string>(
          "--timeout",
          [options](const std::string& text) {
            options->timeout_s = parse_seconds("--timeout", text);
          },
          "Wait for that long (default: 30 s)")
      ->type_name("S");
  return number;
}

}  // namespace armature::command
