// Tells a person that the program is alive, and how far it has come.
//
// On a terminal one line is rewritten ten times a second. Elsewhere (a log, a pipe) there are no
// carriage returns: a plain line every two seconds and one at the end of each step. It writes to
// standard error, so that results can be redirected.
#pragma once

#include <chrono>
#include <string>

namespace debian {

class ProgressLine {
 public:
  // A line that is not `shown` says nothing: one rank speaks for all.
  explicit ProgressLine(bool shown);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the line now when enough time has passed since the last one.
  void update(const std::string& line);
  // Shows the line in any case, and leaves it standing.
  void finish(const std::string& line);

 private:
  void write(const std::string& line);

  bool shown_;
  bool terminal_;
  bool open_ = false;  // a line without its end stands on the terminal
  std::chrono::steady_clock::time_point last_;
};

}  // namespace debian
