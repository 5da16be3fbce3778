#include <cctype>
#include <cstring>
#include <string_view>

#include "armature/array/npy.hpp"

// The header is a Python dictionary with three keys. Few forms of it occur, since NumPy writes it;
// everything else is refused with its place.

namespace armature::detail {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;

/// Goes through the text of the dictionary.
class Dictionary {
 public:
  Dictionary(const std::string& what, std::string_view text) : what_(what), text_(text) {}

  npy_header parse() {
    npy_header header;
    unsigned seen = 0;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        header.descr = descr();
        seen |= 1U;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        seen |= 2U;
      } else if (key == "shape") {
        header.shape = shape();
        seen |= 4U;
      } else {
        fail("an unknown key '" + key + "'");
      }
      if (!accept(',') && peek() != '}') fail("no ',' between keys");
    }
    if (seen != 7) fail("not all of descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::bad_argument, what_ + ": a header that makes no sense: " + why +
                                        " (character " + std::to_string(at_) + ")");
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("no '") + c + "'");
  }
  bool accept_word(std::string_view word) {
    peek();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("no string");
    const std::size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) fail("a string without end");
    const std::string found(text_.substr(at_, end - at_));
    at_ = end + 1;
    return found;
  }
  std::string descr() {
    if (peek() == '[')
      throw Error(Errc::bad_argument, what_ + ": elements are records, which have no type here");
    return string();
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("neither True nor False");
  }
  std::vector<std::ptrdiff_t> shape() {
    std::vector<std::ptrdiff_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(number());
      if (!accept(',') && peek() != ')') fail("no ',' between extents");
    }
    return extents;
  }
  std::ptrdiff_t number() {
    if (std::isdigit(static_cast<unsigned char>(peek())) == 0) fail("no extent");
    std::ptrdiff_t n = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
      if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text_[at_++] - '0', &n))
        fail("an extent that is too large");
    return n;
  }

  const std::string& what_;
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string little_endian(std::size_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i)
    text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  return text;
}

}  // namespace

std::string npy_header_text(const npy_header& header) {
  std::string text = "{'descr': '" + header.descr + "', 'fortran_order': ";
  text += header.fortran_order ? "True" : "False";
  text += ", 'shape': (";
  for (std::size_t d = 0; d < header.shape.size(); ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(header.shape[d]);
  }
  text += header.shape.size() == 1 ? ",), }" : "), }";
  const std::size_t before = magic.size() + 2 + 2;  // eight dimensions fit version 1.0
  text.resize((before + text.size() + 1 + alignment - 1) / alignment * alignment - before - 1, ' ');
  text += '\n';
  return std::string(magic) + std::string("\x01\x00", 2) + little_endian(text.size(), 2) + text;
}

npy_header parse_npy_header(const std::string& what, std::span<const std::byte> bytes) {
  const auto fail = [&](const std::string& why) {
    throw Error(Errc::bad_argument, what + ": " + why);
  };
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < 12 || text.substr(0, magic.size()) != magic) fail("not a file of NumPy (.npy)");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3)
    fail("format " + std::to_string(version) + ".0, not 1.0, 2.0 or 3.0");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;)
    length = length << 8U | static_cast<unsigned char>(text[8 + i]);
  const std::size_t before = 8 + length_bytes;
  if (length > text.size() - before)
    fail("a header of " + std::to_string(length) + " bytes, of which there are " +
         std::to_string(text.size() - before));
  npy_header header = Dictionary(what, text.substr(before, length)).parse();
  header.begin = static_cast<std::ptrdiff_t>(before + length);
  return header;
}

}  // namespace armature::detail
