#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::bootstrap {

/// The processes' output with "[3] " before every line, as `--label` asks for it: the rank, or
/// "[4-7] " for the ranks, that the process hosts. Each process writes into pipes; whole lines are
/// passed on in one write, so that no two processes share a line. A line longer than
/// `line_bytes_max` is broken. What a process wrote last without a line end is passed on with one.
class Labels {
 public:
  static constexpr std::size_t line_bytes_max = 1 << 20;

  struct Ends {  // what the process writes to; close them once it has started
    base::FileDescriptor out;
    base::FileDescriptor err;
  };
  /// Throws Error(start) when there are no pipes left.
  Ends open(const std::string& ranks);

  /// Appends what to poll for.
  void add_to(std::vector<pollfd>& polled) const;
  /// Passes on what there is. Never waits for a process.
  void pass_on();
  /// The rest, once all who wrote are gone; with lines that have no end.
  void finish();

 private:
  struct Stream {
    std::string label;
    int to = 1;
    base::FileDescriptor from;
    std::string waiting;  // what has come without a line end so far
  };
  void open_stream(const std::string& ranks, int to, base::FileDescriptor& end);
  static void pass_on(Stream& stream, int reads_max);
  static void write_lines(Stream& stream, std::size_t bytes);

  std::vector<Stream> streams_;
};

/// Writes all of it, waiting where the descriptor does not take more. False when nobody reads any
/// longer.
bool write_all(int fd, const std::string& text);

}  // namespace armature::bootstrap
