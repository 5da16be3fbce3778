// Reading Debian package indices: what counts as a dependency, and what is no index.
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "debian/package_index.hpp"

namespace debian {
namespace {

PackageGraph parse(std::string_view text, std::size_t block_bytes = 1 << 16) {
  PackageIndex index;
  index.begin_file("sample");
  for (; !text.empty(); text.remove_prefix(std::min(block_bytes, text.size()))) {
    index.feed(text.substr(0, block_bytes));
  }
  index.end_file();
  return index.finish();
}

std::string small_index() {
  std::ifstream file(DEBIAN_TEST_DATA "/small.Packages");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "editor>libc editor>fonts", of the links that one of the fields mentions.
std::string links_of(const PackageGraph& graph, std::string_view package, Fields fields) {
  std::string text;
  for (const Link& link : graph.links) {
    if (graph.names[link.from] != package || !link.fields.meets(fields)) continue;
    text += (text.empty() ? "" : " ") + graph.names[link.to];
  }
  return text;
}

// The message of the GraphError that parsing ends with; "none" when it does not.
std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

TEST(PackageIndexTest, names_are_sorted_and_the_first_stanza_of_a_name_counts) {
  const PackageGraph graph = parse(small_index());
  const std::vector<std::string> names = {"editor",    "editor-doc",     "fonts",
                                          "installer", "libc",           "libgcc",
                                          "libtext",   "libtext-compat", "python"};
  EXPECT_EQ(graph.names, names);
  EXPECT_EQ(links_of(graph, "editor", Field::depends), "libc libtext libtext-compat python");
}

TEST(PackageIndexTest, every_field_is_kept_apart) {
  const PackageGraph graph = parse(small_index());
  EXPECT_EQ(links_of(graph, "editor", Field::pre_depends), "installer");
  EXPECT_EQ(links_of(graph, "editor", Field::recommends), "fonts");
  EXPECT_EQ(links_of(graph, "editor", Field::suggests), "editor-doc");
  EXPECT_EQ(links_of(graph, "libc", Field::recommends), "installer");
  EXPECT_EQ(graph.count_links(Fields::required()), 14U);
  EXPECT_EQ(graph.count_links(Fields::all()), 18U);
}

TEST(PackageIndexTest, a_pair_counts_once_in_however_many_fields) {
  const PackageGraph graph = parse(small_index());
  EXPECT_EQ(links_of(graph, "libtext-compat", Fields::all()), "libc libtext");
  EXPECT_EQ(links_of(graph, "installer", Fields::all()), "libc libgcc");
  EXPECT_EQ(links_of(graph, "installer", Field::pre_depends), "libc");
}

TEST(PackageIndexTest, virtual_packages_and_the_package_itself_are_left_out) {
  const PackageGraph graph = parse(small_index());
  EXPECT_EQ(links_of(graph, "python", Fields::all()), "fonts libc");
}

TEST(PackageIndexTest, where_the_blocks_are_cut_makes_no_difference) {
  const PackageGraph whole = parse(small_index());
  for (const std::size_t bytes : {1, 2, 3, 7, 64, 1000}) {
    const PackageGraph pieces = parse(small_index(), bytes);
    EXPECT_EQ(pieces.names, whole.names) << bytes;
    EXPECT_EQ(pieces.links, whole.links) << bytes;
  }
}

TEST(PackageIndexTest, of_several_files_the_first_that_has_a_package_counts) {
  PackageIndex index;
  for (const char* text :
       {"Package: a\nDepends: b\n\n", "Package: a\nDepends: c\n\nPackage: b\n", "Package: c\n"}) {
    index.begin_file("sample");
    index.feed(text);
    index.end_file();
  }
  const PackageGraph graph = index.finish();
  EXPECT_EQ(graph.names.size(), 3U);
  EXPECT_EQ(links_of(graph, "a", Fields::all()), "b");
}

TEST(PackageIndexTest, a_malformed_index_is_an_error_that_names_the_line) {
  const auto starts = [](const std::string& text, const std::string& start) {
    EXPECT_EQ(error_of(text).substr(0, start.size()), start);
  };
  starts("Package: a\nno field here\n", "sample:2: expected 'Field: value'");
  starts("\x89PNG\r\n\x1a\n", "sample:1: expected 'Field: value'");
  starts(" folded: from nothing\n", "sample:1: a continuation line where no field has begun");
  starts("Version: 1\nDepends: a\n\n", "sample:3: the stanza that ends here has no Package");
  starts("Package: a\nPackage: b\n", "sample:2: a second Package field");
  starts("Package: a\nDepends: b\nDepends: c\n", "sample:3: a second Depends field");
  starts("Package:\n", "sample:1: not a package name");
  starts("Package: two words\n", "sample:1: not a package name: 'two words'");
  starts("Package: a\nDepends: b, , c\n", "sample:2: package 'a' depends on ''");
  starts("Package: a\nDepends: b (>= 1\n", "sample:2: package 'a' depends on 'b (>= 1'");
  starts("Package: a\nDepends: b 1.2\n", "sample:2: package 'a' depends on 'b 1.2'");
  starts("Package: a\nDepends: b|\n", "sample:2: package 'a' depends on ''");
  starts("Package: a\nVersion: 1", "sample:2: the file ends in the middle of a line");
  starts("", "");
  EXPECT_NE(error_of("").find("holds no packages"), std::string::npos);
  EXPECT_NE(error_of("\n\n").find("holds no packages"), std::string::npos);
  starts(std::string(3 << 20, 'x'), "sample:1: a line of more than 1 MiB");
  starts(std::string(1000, '\0') + "\n", "sample:1: expected 'Field: value', found '????");
}

TEST(PackageIndexTest, a_damaged_index_is_read_or_refused_and_nothing_else) {
  const std::string whole = small_index();
  std::mt19937 random(20240229);  // NOLINT(cert-msc51-cpp): the same cases every time
  const auto below = [&random](std::size_t n) { return random() % n; };
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = whole;
    for (std::size_t hits = 1 + below(4); hits > 0; --hits) {
      const std::size_t at = below(damaged.size());
      if (below(2) == 0) {
        damaged[at] = static_cast<char>(below(256));
      } else {
        damaged.erase(at, 1 + below(20));
      }
    }
    refused += error_of(damaged) == "none" ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

TEST(FieldsTest, lists_of_fields_are_read_and_written) {
  EXPECT_EQ(Fields::parse("depends,pre-depends"), Fields::required());
  EXPECT_EQ(Fields::parse("suggests,recommends,pre-depends,depends"), Fields::all());
  EXPECT_EQ(Fields::required().to_string(), "Depends, Pre-Depends");
  for (const char* wrong : {"", "depends,", "Depends", "depends,conflicts"}) {
    EXPECT_THROW(Fields::parse(wrong), std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace debian
