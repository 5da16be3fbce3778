#include "command/run/host_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::command {
namespace {

class HostFileTest : public testing::Test {
 protected:
  ~HostFileTest() override { (void)std::remove(path_.c_str()); }

  /// The length differs each time, as files written within one tick of the clock may be alike.
  void write(const std::string& text) const {
    static int times = 0;
    std::ofstream(path_) << text << '#' << std::string(static_cast<std::size_t>(++times), ' ');
  }
  /// At the second look, when the file is as it was at the first one.
  bool reads_again(HostFile& file) {
    EXPECT_FALSE(file.read_again(problem_));
    return file.read_again(problem_);
  }
  static std::string names(const std::vector<HostLine>& lines) {
    std::string all;
    for (const HostLine& line : lines) all += line.name + ';';
    return all;
  }

  // Tests run beside each other.
  const std::string path_ = testing::TempDir() + "host_file_test-" + std::to_string(getpid());
  std::string problem_;
};

TEST_F(HostFileTest, lines_name_nodes) {
  write("a  # the first\n\n  b netns=/run/netns/b\n# c\n");
  const auto lines = read_host_file(path_);
  ASSERT_EQ(names(lines), "a;b;");
  EXPECT_EQ(lines[0].netns, "");
  EXPECT_EQ(lines[1].netns, "/run/netns/b");
}

TEST_F(HostFileTest, lines_that_make_no_sense_are_refused) {
  for (const char* text : {"a\na\n", "a slots=4\n"}) {
    write(text);
    EXPECT_THROW((void)read_host_file(path_), Error) << text;
  }
  EXPECT_THROW((void)read_host_file("/no/such/file"), Error);
}

TEST_F(HostFileTest, nodes_come_and_go_with_their_lines) {
  write("a\nb\n");
  HostFile file(path_);
  EXPECT_FALSE(file.read_again(problem_));
  write("b\nc\nd\n");
  EXPECT_TRUE(reads_again(file));
  EXPECT_EQ(file.to_leave({0, 1}), std::vector<int>{0});
  const auto lines = file.to_come({0, 1});
  EXPECT_EQ(names(lines), "c;d;");
  file.are_asked_for(lines);
  EXPECT_TRUE(file.to_come({0, 1}).empty());
  file.go_on({1}, 3);
  EXPECT_EQ(names(file.nodes()), "b;c;d;");
  EXPECT_FALSE(file.awaits());
  EXPECT_TRUE(file.to_leave({0, 1, 2}).empty());
}

TEST_F(HostFileTest, what_makes_no_sense_changes_nothing) {
  write("a\nb\n");
  HostFile file(path_);
  write("a\na\n");
  EXPECT_FALSE(reads_again(file));
  EXPECT_NE(problem_.find("line 2: a is there twice"), std::string::npos) << problem_;
  EXPECT_TRUE(file.to_leave({0, 1}).empty());
}

TEST_F(HostFileTest, what_is_being_written_is_not_read) {
  write("a\nb\n");
  HostFile file(path_);
  write("");
  EXPECT_FALSE(file.read_again(problem_));
  write("a\nb\nc\n");
  EXPECT_FALSE(file.read_again(problem_));
  EXPECT_TRUE(file.to_leave({0, 1}).empty());
  EXPECT_TRUE(file.read_again(problem_));
  EXPECT_EQ(names(file.to_come({0, 1})), "c;");
}

TEST_F(HostFileTest, a_node_that_has_died_comes_when_its_line_comes_back) {
  write("a\nb\nc\n");
  HostFile file(path_);
  EXPECT_TRUE(file.to_come({0, 2}).empty());
  write("a\nc\n");
  EXPECT_TRUE(reads_again(file));
  EXPECT_TRUE(file.to_come({0, 2}).empty());
  write("a\nb\nc\n");
  EXPECT_TRUE(reads_again(file));
  EXPECT_EQ(names(file.to_come({0, 2})), "b;");
}

TEST_F(HostFileTest, those_that_are_refused_are_not_asked_for_again_and_again) {
  write("a\nb\n");
  HostFile file(path_);
  write("a\nb\nc\n");
  EXPECT_TRUE(reads_again(file));
  file.are_asked_for(file.to_come({0, 1}));
  file.are_refused();
  EXPECT_TRUE(file.to_come({0, 1}).empty());
  EXPECT_FALSE(file.awaits());
}

TEST_F(HostFileTest, nodes_that_no_line_names_stay) {
  write("a\nb\n");
  HostFile file(path_);
  file.go_on({0, 1}, 3);  // one was added by armature join
  EXPECT_TRUE(file.to_leave({0, 1, 2}).empty());
  EXPECT_TRUE(file.to_come({0, 1, 2}).empty());
}

TEST_F(HostFileTest, a_file_that_is_no_network_namespace_is_found_before_a_node_is_asked_for) {
  HostLine line{.name = "a", .netns = path_ + ".missing"};
  EXPECT_EQ(line.open_network(), ENOENT);
  write("a\n");
  line.netns = path_;
  EXPECT_NE(line.open_network(), 0);
  EXPECT_EQ(line.network, nullptr);
  write("a netns=" + path_ + "\n");
  EXPECT_THROW((void)HostFile(path_), Error);
}

TEST_F(HostFileTest, a_namespace_stays_open_when_its_file_goes) {
  const std::string link = path_ + ".netns";
  ASSERT_EQ(symlink("/proc/self/ns/net", link.c_str()), 0);
  HostLine line{.name = "b", .netns = link};
  const int problem = line.open_network();
  (void)std::remove(link.c_str());
  if (problem == EPERM) return;  // it takes root to enter one
  ASSERT_EQ(problem, 0);
  write("a\n");
  HostFile file(path_);
  file.are_asked_for({line});
  file.go_on({0}, 2);
  file.go_on({1}, 1);
  ASSERT_EQ(file.networks(), std::vector<int>{line.network->get()});
  EXPECT_GE(fcntl(line.network->get(), F_GETFD), 0);
}

}  // namespace
}  // namespace armature::command
