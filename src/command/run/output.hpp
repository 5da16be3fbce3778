#pragma once

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace armature::command {

/// Output to a descriptor that may take nothing for a while, as a pipe whose reader pauses: it
/// waits here. The launcher itself has signals and time to look after, and never waits for a
/// reader.
class Output {
 public:
  static constexpr std::size_t waiting_max = 1 << 20;

  explicit Output(int fd) : fd_(fd) {}

  /// Lines, of which as much is written as is taken at once.
  void add(std::string_view lines);
  /// More of what waits, if it is taken at once.
  void write();
  /// Loses what waits, and what is added from now on.
  void give_up(int error);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size() - written_; }
  /// A caller that has more had better wait itself.
  [[nodiscard]] bool is_full() const { return waiting() >= waiting_max; }
  /// Why nothing is written any more, as errno says it; 0 while all is well.
  [[nodiscard]] int error() const { return error_; }
  /// Appends what to poll for.
  void add_to(std::vector<pollfd>& polled) const;

 private:
  [[nodiscard]] std::string_view piece() const;

  const int fd_;
  std::string waiting_;
  std::size_t written_ = 0;  // of that
  int error_ = 0;
};

/// The launcher's stdout and stderr. Where both are the same pipe or terminal they are one, so that
/// what comes first is written first, and no line is broken by another.
class Outputs {
 public:
  Outputs();

  [[nodiscard]] Output& of(int fd) { return outputs_[fd == STDERR_FILENO && !are_one_ ? 1 : 0]; }
  void write();
  void give_up(int error);
  [[nodiscard]] std::size_t waiting() const;
  void add_to(std::vector<pollfd>& polled) const;
  /// Why something could not be written that somebody would have read; 0 where nothing is amiss.
  [[nodiscard]] int error() const;

 private:
  std::array<Output, 2> outputs_;
  bool are_one_;
};

}  // namespace armature::command
