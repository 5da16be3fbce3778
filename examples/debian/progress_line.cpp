#include "debian/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace debian {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(bool shown)
    : shown_(shown),
      terminal_(isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (open_) std::fputc('\n', stderr);
}

void ProgressLine::update(const std::string& line) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? 100ms : 2000ms)) return;
  last_ = now;
  write(line);
}

void ProgressLine::finish(const std::string& line) {
  if (!shown_) return;
  write(line);
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

void ProgressLine::write(const std::string& line) {
  // \33[K clears what a longer line before has left.
  std::fprintf(stderr, terminal_ ? "\r%s\33[K" : "%s\n", line.c_str());
  std::fflush(stderr);
  open_ = terminal_;
}

}  // namespace debian
