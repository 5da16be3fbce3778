#include "bootstrap/launcher/console.hpp"

#include <unistd.h>

#include <cstdlib>

#include "bootstrap/launcher/labels.hpp"

namespace armature::bootstrap {
namespace {

bool coloured() {
  static const bool answer = isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return answer;
}

}  // namespace

void say(const std::string& text) { write_all(STDERR_FILENO, "armature: " + text + '\n'); }

void say_headline(const std::string& text, const std::string& below) {
  const char* begin = coloured() ? "\033[1;31m" : "";
  const char* end = coloured() ? "\033[0m" : "";
  write_all(STDERR_FILENO, begin + ("armature: " + text) + end + '\n' + below);
}

}  // namespace armature::bootstrap
