#include "command/run/labels.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::command {

void Labels::open_stream(const std::string& ranks, int to, base::FileDescriptor& end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    base::fail(Errc::start, "no pipe for a rank's output: " + base::system_text(errno));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  streams_.push_back(
      {fmt::format("[{}] ", ranks), &outputs_.of(to), base::FileDescriptor(ends[0]), {}});
  end = base::FileDescriptor(ends[1]);
}

Labels::Ends Labels::open(const std::string& ranks) {
  Ends ends;
  open_stream(ranks, STDOUT_FILENO, ends.out);
  open_stream(ranks, STDERR_FILENO, ends.err);
  return ends;
}

void Labels::add_to(std::vector<pollfd>& polled) const {
  for (const auto& stream : streams_)
    if (stream.from && !stream.to->is_full()) polled.push_back({stream.from.get(), POLLIN, 0});
}

/// The first `bytes` of what waits, which end with a line end.
void Labels::write_lines(Stream& stream, std::size_t bytes) {
  std::string labelled;
  for (std::size_t begin = 0; begin < bytes;) {
    const std::size_t end = stream.waiting.find('\n', begin) + 1;
    labelled += stream.label;
    labelled.append(stream.waiting, begin, end - begin);
    begin = end;
  }
  stream.waiting.erase(0, bytes);
  stream.to->add(labelled);
}

void Labels::pass_on(Stream& stream, int reads_max) {
  char buffer[64 * 1024];
  for (int i = 0; i < reads_max && stream.from; ++i) {
    const ssize_t n = read(stream.from.get(), buffer, sizeof buffer);
    if (n > 0) {
      stream.waiting.append(buffer, static_cast<std::size_t>(n));
      const auto last = stream.waiting.rfind('\n');
      if (last != std::string::npos) write_lines(stream, last + 1);
      if (stream.waiting.size() > line_bytes_max) {
        stream.waiting += '\n';
        write_lines(stream, stream.waiting.size());
      }
    } else if (n == 0) {
      stream.from.reset();
    } else if (errno != EINTR) {
      break;
    }
  }
}

void Labels::pass_on() {
  // A rank that writes without end must not keep us from the others, nor fill all the room there
  // is.
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[(first_ + i) % streams_.size()];
    if (stream.to->error() != 0) {
      stream.from.reset();
      stream.waiting.clear();
    } else if (!stream.to->is_full()) {
      pass_on(stream, 4);
    }
  }
  ++first_;
}

void Labels::finish() {
  for (auto& stream : streams_) {
    pass_on(stream, std::numeric_limits<int>::max());
    if (stream.waiting.empty()) continue;
    stream.waiting += '\n';
    write_lines(stream, stream.waiting.size());
  }
}

}  // namespace armature::command
