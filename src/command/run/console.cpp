#include "command/run/console.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/write_all.hpp"

namespace armature::command {
namespace {

bool coloured() {
  static const bool answer = isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return answer;
}

Output* through = nullptr;

void tell(const std::string& lines) {
  if (through != nullptr) return through->add(lines);
  (void)base::write_all(STDERR_FILENO, lines.data(), lines.size());
}

}  // namespace

void say(const std::string& text) { tell("armature: " + text + '\n'); }

void say_headline(const std::string& text, const std::string& below) {
  const char* begin = coloured() ? "\033[1;31m" : "";
  const char* end = coloured() ? "\033[0m" : "";
  tell(begin + ("armature: " + text) + end + '\n' + below);
}

SayThrough::SayThrough(Output& output) { through = &output; }
SayThrough::~SayThrough() { through = nullptr; }

}  // namespace armature::command
