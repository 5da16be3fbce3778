// Graphs come from the compact copy, or from what is chosen among what a machine has.
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "debian/compact_copy.hpp"
#include "debian/graph_source.hpp"

namespace debian {
namespace {

namespace fs = std::filesystem;

const std::string small_file = DEBIAN_TEST_DATA "/small.Packages";

PackageGraph small_graph() { return read_graph(find_source(small_file, Archives::main)); }

// Zero when the copy can be read, one when it is refused.
int refused(const std::string& copy) {
  try {
    read_compact_copy(copy, "copy");
  } catch (const GraphError&) {
    return 1;
  }
  return 0;
}

class ListsTest : public testing::Test {
 protected:
  ListsTest() {
    std::string name = testing::TempDir() + "/debian_lists_XXXXXX";
    lists_ = mkdtemp(name.data());
  }
  ~ListsTest() override { fs::remove_all(lists_); }

  std::string add(const std::string& archive, const std::string& text,
                  const std::string& ending = "") const {
    const auto file =
        lists_ / ("deb_debian_dists_" + archive + "_main_binary-amd64_Packages" + ending);
    std::ofstream(file) << text;
    return file;
  }
  Source find(Archives archives) const { return find_source("", archives, lists_); }

  fs::path lists_;
};

TEST(CompactCopyTest, what_is_written_is_read_again) {
  const PackageGraph graph = small_graph();
  const PackageGraph again = read_compact_copy(write_compact_copy(graph), "copy");
  EXPECT_EQ(again.origin, "small.Packages");
  EXPECT_EQ(again.names, graph.names);
  EXPECT_EQ(again.links, graph.links);
}

TEST(CompactCopyTest, a_copy_cut_off_anywhere_is_refused) {
  const std::string copy = write_compact_copy(small_graph());
  for (std::size_t bytes = 0; bytes < copy.size(); ++bytes) {
    EXPECT_EQ(refused(copy.substr(0, bytes)), 1) << bytes;
  }
  EXPECT_EQ(refused(copy + "x"), 1);
}

TEST(CompactCopyTest, a_changed_byte_is_noticed_unless_it_means_nothing) {
  const PackageGraph graph = small_graph();
  const std::string copy = write_compact_copy(graph);
  std::size_t refusals = 0;
  for (std::size_t at = 0; at < copy.size(); ++at) {
    std::string changed = copy;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    if (refused(changed) != 0) {
      ++refusals;
    } else {  // bits that zstd's format leaves unused
      EXPECT_EQ(read_compact_copy(changed, "copy").links, graph.links) << at;
    }
  }
  EXPECT_GE(refusals, copy.size() - 4);
}

TEST(CompactCopyTest, content_that_contradicts_itself_is_read_or_refused_and_nothing_else) {
  const std::string copy = write_compact_copy(small_graph());
  const auto head = copy.find('\n') + 1;
  std::string content(4096, '\0');
  content.resize(
      ZSTD_decompress(content.data(), content.size(), copy.data() + head, copy.size() - head));
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same cases every time
  int refusals = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string wrong = content;
    for (int hits = 0; hits < 2; ++hits) {
      wrong[random() % wrong.size()] = static_cast<char>(random() % 256);
    }
    std::string frame(ZSTD_compressBound(wrong.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), wrong.data(), wrong.size(), 1));
    refusals += refused(copy.substr(0, head) + frame);
  }
  EXPECT_GT(refusals, 2000);
}

TEST(CompactCopyTest, the_copy_in_the_repository_is_small_and_whole) {
  EXPECT_LT(fs::file_size(DEBIAN_COMPACT_COPY), 1U << 20);
  const PackageGraph graph = read_graph(find_source(DEBIAN_COMPACT_COPY, Archives::main));
  EXPECT_EQ(graph.names.size(), 63666U);
  EXPECT_EQ(graph.count_links(Fields::required()), 248336U);
}

TEST_F(ListsTest, the_release_alone_or_with_the_newer_archives_before_it) {
  const std::string release = add("bookworm", "Package: a\n");
  const std::string security = add("bookworm-security", "Package: b\n");
  const std::string updates = add("bookworm-updates", "Package: c\n");
  add("trixie", "Package: d\n");
  EXPECT_EQ(find(Archives::main).files, std::vector{release});
  EXPECT_EQ(find(Archives::all).files, (std::vector{security, updates, release}));
  EXPECT_EQ(read_graph(find(Archives::all)).names.size(), 3U);
}

TEST_F(ListsTest, a_machine_without_the_index_falls_back_to_the_copy) {
  add("trixie", "Package: d\n");
  EXPECT_EQ(find(Archives::main).files, std::vector<std::string>{DEBIAN_COMPACT_COPY});
}

TEST_F(ListsTest, of_two_sources_the_larger_index_is_taken) {
  const std::string larger = add("bookworm", "Package: a\n\nPackage: b\n");
  std::ofstream(lists_ / "extra_dists_bookworm_main_binary-amd64_Packages") << "Package: c\n";
  EXPECT_EQ(find(Archives::main).files, std::vector{larger});
}

TEST_F(ListsTest, a_file_that_cannot_be_read_is_an_error_that_names_it) {
  const auto error_of = [](const std::string& file) -> std::string {
    try {
      read_graph(find_source(file, Archives::main));
    } catch (const GraphError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(error_of("/no/such/file").find("/no/such/file: No such file"), std::string::npos);
  EXPECT_NE(error_of("/no/such.xz").find("/no/such.xz: No such file"), std::string::npos);
  EXPECT_NE(error_of(lists_).find("is a folder"), std::string::npos);
  const std::string garbage = add("bookworm", "this was never compressed", ".xz");
  EXPECT_EQ(error_of(garbage).substr(0, garbage.size()), garbage);
  const std::string odd_name = lists_ / "it's; $(here).gz";
  std::ofstream(odd_name) << "no";
  EXPECT_EQ(error_of(odd_name).substr(0, odd_name.size()), odd_name);
}

}  // namespace
}  // namespace debian
