#include "command/run/output.hpp"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"

namespace armature::command {
namespace {

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    from = base::FileDescriptor(ends[0]);
    to = base::FileDescriptor(ends[1]);
  }
  [[nodiscard]] std::string read_some() const {
    std::vector<char> buffer(1 << 20);
    const ssize_t n = read(from.get(), buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }
  base::FileDescriptor from, to;
};

TEST(OutputTest, what_a_full_pipe_does_not_take_waits_and_nothing_is_lost) {
  const Pipe pipe;
  Output output(pipe.to.get());
  std::string all, got;
  for (int i = 0; !output.is_full(); ++i) {
    const std::string line = "line " + std::to_string(i) + std::string(100, '.') + '\n';
    all += line;
    output.add(line);
  }
  std::vector<pollfd> polled;
  output.add_to(polled);
  EXPECT_EQ(polled.size(), 1U);
  while (got.size() < all.size()) {
    got += pipe.read_some();
    EXPECT_EQ(got.back(), '\n');  // pieces are whole lines
    output.write();
  }
  EXPECT_EQ(got, all);
  EXPECT_EQ(output.waiting(), 0U);
  EXPECT_EQ(output.error(), 0);
}

TEST(OutputTest, a_line_of_any_length_is_written) {
  const Pipe pipe;
  Output output(pipe.to.get());
  const std::string line = std::string(300'000, 'x') + '\n';
  output.add(line);
  std::string got;
  while (got.size() < line.size()) {
    got += pipe.read_some();
    output.write();
  }
  EXPECT_EQ(got, line);
}

TEST(OutputTest, where_nobody_reads_any_longer_what_comes_is_dropped) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  Output output(pipe.to.get());
  pipe.from.reset();
  output.add("lost\n");
  std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(output.error(), EPIPE);
  output.add("lost, too\n");
  EXPECT_EQ(output.waiting(), 0U);
}

}  // namespace
}  // namespace armature::command
