#include "command/run/output.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

// Others have these descriptors open, too: the shell, its other commands. So they are not made
// non-blocking; a pipe that is ready to be written to takes PIPE_BUF bytes without waiting.

namespace armature::command {
namespace {

/// A file is never full for a while only, and each of its descriptors may have a place of its own.
bool are_one_stream(int a, int b) {
  struct stat first {
  }, second{};
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino && !S_ISREG(first.st_mode);
}

}  // namespace

/// Whole lines where that can be: others may write between two pieces.
std::string_view Output::piece() const {
  const std::string_view all = std::string_view(waiting_).substr(written_, PIPE_BUF);
  const auto last = all.rfind('\n');
  return last == std::string_view::npos ? all : all.substr(0, last + 1);
}

void Output::write() {
  while (waiting() > 0) {
    pollfd writable{fd_, POLLOUT, 0};
    if (poll(&writable, 1, 0) <= 0) return;
    const std::string_view next = piece();
    const ssize_t n = ::write(fd_, next.data(), next.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) return give_up(errno);
    written_ += static_cast<std::size_t>(n);
  }
  waiting_.clear();
  written_ = 0;
}

void Output::add(std::string_view lines) {
  if (error_ != 0) return;
  if (written_ > waiting_max) waiting_.erase(0, std::exchange(written_, 0));
  waiting_ += lines;
  write();
}

void Output::give_up(int error) {
  if (error_ == 0) error_ = error;
  waiting_.clear();
  written_ = 0;
}

void Output::add_to(std::vector<pollfd>& polled) const {
  if (waiting() > 0) polled.push_back({fd_, POLLOUT, 0});
}

Outputs::Outputs()
    : outputs_{Output(STDOUT_FILENO), Output(STDERR_FILENO)},
      are_one_(are_one_stream(STDOUT_FILENO, STDERR_FILENO)) {}

void Outputs::write() {
  for (Output& output : outputs_) output.write();
}

void Outputs::give_up(int error) {
  for (Output& output : outputs_) output.give_up(error);
}

std::size_t Outputs::waiting() const { return outputs_[0].waiting() + outputs_[1].waiting(); }

void Outputs::add_to(std::vector<pollfd>& polled) const {
  for (const Output& output : outputs_) output.add_to(polled);
}

int Outputs::error() const {
  for (const Output& output : outputs_)
    if (output.error() != 0 && output.error() != EPIPE) return output.error();
  return 0;
}

}  // namespace armature::command
