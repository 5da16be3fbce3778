#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "armature/array/npy.hpp"
#include "armature/error.hpp"

namespace armature::detail {
namespace {

npy_header parse(const std::string& bytes) {
  return parse_npy_header("file.npy", std::as_bytes(std::span(bytes)));
}

/// A header of that version and text.
std::string file(int version, const std::string& text) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(static_cast<unsigned char>(text.size() >> (8 * i)));
  return bytes + text;
}

TEST(NpyHeader, what_is_written_is_read) {
  for (const auto& shape : std::vector<std::vector<std::ptrdiff_t>>{{7}, {3, 4}, {0, 5, 1000000}}) {
    const npy_header header{"<f8", shape.size() == 2, shape};
    const std::string text = npy_header_text(header);
    EXPECT_EQ(text.size() % 64, 0U);
    EXPECT_EQ(text.back(), '\n');
    const npy_header seen = parse(text);
    EXPECT_EQ(seen.descr, "<f8");
    EXPECT_EQ(seen.fortran_order, header.fortran_order);
    EXPECT_EQ(seen.shape, shape);
    EXPECT_EQ(seen.begin, static_cast<std::ptrdiff_t>(text.size()));
  }
}

TEST(NpyHeader, other_orders_quotes_and_versions_are_read) {
  for (const int version : {1, 2, 3}) {
    const npy_header seen =
        parse(file(version, R"({"shape":(2,3,),'fortran_order':True , "descr" : '|u1'}  )"
                            "\n"));
    EXPECT_EQ(seen.descr, "|u1");
    EXPECT_TRUE(seen.fortran_order);
    EXPECT_EQ(seen.shape, (std::vector<std::ptrdiff_t>{2, 3}));
  }
  EXPECT_TRUE(
      parse(file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}")).shape.empty());
}

TEST(NpyHeader, mistakes_are_named) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"", "not a file of NumPy"},
      {"PK\x03\x04 and more text here", "not a file of NumPy"},
      {file(4, "{}"), "format 4.0"},
      {file(1, "{}"), "not all of descr"},
      {file(1, "{'descr': '<f8', 'fortran_order': Maybe, 'shape': ()}"), "neither True nor False"},
      {file(1, "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': ()}"), "records"},
      {file(1, "{'descr': '<f8, 'fortran_order': False, 'shape': ()}"), "makes no sense"},
      {file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}"), "no extent"},
      {file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
       "too large"},
      {file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3"), "between extents"},
      {file(1, "{'answer': 42}"), "unknown key 'answer'"},
      {file(2, "{'descr': '<f8'}").substr(0, 15), "a header of 16 bytes, of which there are 3"}};
  for (const auto& [bytes, why] : mistakes) try {
      (void)parse(bytes);
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.substr(0, 10), "file.npy: ");
      EXPECT_NE(text.find(why), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace armature::detail
