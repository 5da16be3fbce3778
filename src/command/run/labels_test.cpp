#include "command/run/labels.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/write_all.hpp"

namespace armature::command {
namespace {

void write_to(const base::FileDescriptor& end, const std::string& text) {
  ASSERT_TRUE(base::write_all(end.get(), text.data(), text.size()));
}

TEST(LabelsTest, whole_lines_are_passed_on_and_halves_wait_for_their_end) {
  Outputs outputs;
  Labels labels(outputs);
  auto zero = labels.open("0");
  auto one = labels.open("1");

  testing::internal::CaptureStdout();
  write_to(zero.out, "half a ");
  write_to(one.out, "first\nsecond\nthi");
  labels.pass_on();
  write_to(zero.out, "line\n");
  labels.pass_on();
  labels.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "[1] first\n[1] second\n[0] half a line\n[1] thi\n");
}

TEST(LabelsTest, an_endless_line_is_broken) {
  Outputs outputs;
  Labels labels(outputs);
  auto ends = labels.open("7");
  testing::internal::CaptureStdout();
  const std::string piece(32 * 1024, 'x');
  for (std::size_t written = 0; written <= Labels::line_bytes_max; written += piece.size()) {
    write_to(ends.out, piece);
    labels.pass_on();
  }
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_EQ(output.substr(0, 5), "[7] x");
  EXPECT_EQ(output.back(), '\n');
}

}  // namespace
}  // namespace armature::command
