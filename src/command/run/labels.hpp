#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "command/run/output.hpp"

namespace armature::command {

/// The processes' output with "[3] " before every line, as `--label` asks for it: the rank, or
/// "[4-7] " for the ranks, that the process hosts. Each process writes into pipes; whole lines are
/// passed on together, so that no two processes share a line. A line longer than
/// `line_bytes_max` is broken. What a process wrote last without a line end is passed on with one.
/// Where more is written than is taken, processes wait, as they would without labels, and where
/// nobody reads any longer they get SIGPIPE.
class Labels {
 public:
  static constexpr std::size_t line_bytes_max = 1 << 20;

  explicit Labels(Outputs& outputs) : outputs_(outputs) {}

  struct Ends {  // what the process writes to; close them once it has started
    base::FileDescriptor out;
    base::FileDescriptor err;
  };
  /// Throws Error(start) when there are no pipes left.
  Ends open(const std::string& ranks);

  /// Appends what to poll for.
  void add_to(std::vector<pollfd>& polled) const;
  /// Passes on what there is. Never waits, for a process or for whoever reads.
  void pass_on();
  /// The rest, once all who wrote are gone; with lines that have no end.
  void finish();

 private:
  struct Stream {
    std::string label;
    Output* to;
    base::FileDescriptor from;
    std::string waiting;  // what has come without a line end so far
  };
  void open_stream(const std::string& ranks, int to, base::FileDescriptor& end);
  static void pass_on(Stream& stream, int reads_max);
  static void write_lines(Stream& stream, std::size_t bytes);

  Outputs& outputs_;
  std::vector<Stream> streams_;
  std::size_t first_ = 0;  // whose turn it is
};

}  // namespace armature::command
