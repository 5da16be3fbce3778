#include "command_line.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "matrix_file.hpp"

namespace sparse {
namespace {

int parse_count(std::string_view option, std::string_view text) {
  int count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || rest != text.data() + text.size() || count < 1 || count > 1'000'000)
    throw std::invalid_argument(std::string(option) + " wants a number from 1 to 1000000, not '" +
                                std::string(text) + "'");
  return count;
}

}  // namespace

Matrix CommandLine::matrix() const { return file.empty() ? stiffness(block) : read_matrix(file); }

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + ": a value is missing");
    const char* const value = argv[i + 1];
    if (option == "--block") {
      line.block = ElasticBlock::parse(value);
    } else if (option == "--matrix") {
      line.file = value;
    } else if (option == "--repeat") {
      line.repeat = parse_count(option, value);
    } else if (option == "--json") {
      line.json = value;
    } else {
      throw std::invalid_argument("no option " + std::string(option));
    }
  }
  return line;
}

}  // namespace sparse
