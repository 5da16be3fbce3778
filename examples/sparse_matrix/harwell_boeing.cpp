// The format of Harwell and Boeing (Duff, Grimes and Lewis, 1992) is made for Fortran: four or five
// lines of header, then the columns' beginnings, the rows and the values, each in fields of equal
// width, as many on a line as its FORMAT says: (16I5), (1P,4D20.12).
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

#include "matrix_file.hpp"

namespace sparse {
namespace {

struct Fields {
  std::size_t on_a_line = 0;
  std::size_t width = 0;
};

// The digits before the letter are the number of fields; a scale factor before them ends with P.
Fields parse_format(std::string_view format) {
  constexpr std::string_view letters = "IEDFG";
  const auto letter = std::ranges::find_if(format, [&](unsigned char c) {
    return letters.find(static_cast<char>(std::toupper(c))) != letters.npos;
  });
  if (letter == format.end()) bad_matrix("no format: '" + std::string(format) + "'");
  auto begin = letter;
  while (begin != format.begin() && std::isdigit(static_cast<unsigned char>(begin[-1]))) --begin;
  const std::string number(begin, letter);
  const Fields fields{
      .on_a_line = number.empty() ? 1 : std::strtoul(number.c_str(), nullptr, 10),
      .width = std::strtoul(std::string(letter + 1, format.end()).c_str(), nullptr, 10)};
  if (fields.on_a_line == 0 || fields.width == 0)
    bad_matrix("no format: '" + std::string(format) + "'");
  return fields;
}

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  std::string line(const char* what) {
    std::string text;
    if (!std::getline(in_, text)) bad_matrix(std::string("it ends before ") + what);
    return text;
  }
  /// Calls `take` with the text of each of `count` fields.
  template <class Take>
  void fields(std::size_t count, const Fields& format, const char* what, Take take) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = i % format.on_a_line;
      if (place == 0) text = line(what);
      if (place * format.width >= text.size()) bad_matrix(std::string("a short line of ") + what);
      take(text.substr(place * format.width, format.width));
    }
  }

 private:
  std::istream& in_;
};

long to_integer(const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (end == text.c_str()) bad_matrix("no number: '" + text + "'");
  return value;
}

// Fortran writes an exponent with D, too.
double to_real(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == 'D' || c == 'd'; }, 'E');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) bad_matrix("no number: '" + text + "'");
  return value;
}

struct Header {
  bool pattern = false;
  int mirrored = 0;
  std::size_t rows = 0, count = 0;
  Fields pointers, indices, values;
};

std::string part(const std::string& text, std::size_t from, std::size_t length) {
  return from < text.size() ? text.substr(from, length) : std::string();
}

Header read_header(Reader& reader) {
  (void)reader.line("its title");
  const std::string cards = reader.line("its numbers of lines");
  const std::string kind = reader.line("its kind"), formats = reader.line("its formats");
  const std::string right_sides = part(cards, 56, 14);
  if (right_sides.find_first_not_of(" \r") != right_sides.npos && to_integer(right_sides) > 0)
    (void)reader.line("the format of right-hand sides");
  const std::string type = kind.substr(0, 3);
  const auto letter = [&](std::size_t i) {
    return i < type.size() ? static_cast<char>(std::toupper(static_cast<unsigned char>(type[i])))
                           : ' ';
  };
  const std::string_view symmetries = "USZ";
  if ((letter(0) != 'R' && letter(0) != 'P') || symmetries.find(letter(1)) == symmetries.npos ||
      letter(2) != 'A')
    bad_matrix("a matrix of type '" + type + "': give RUA, RSA, RZA, PUA or PSA");
  const long rows = to_integer(part(kind, 14, 14)), columns = to_integer(part(kind, 28, 14)),
             count = to_integer(part(kind, 42, 14));
  if (rows != columns || rows < 1 || count < 0)
    bad_matrix(std::to_string(rows) + " rows, " + std::to_string(columns) + " columns and " +
               std::to_string(count) + " entries: give a square matrix");
  Header header{.pattern = letter(0) == 'P',
                .mirrored = letter(1) == 'S'   ? 1
                            : letter(1) == 'Z' ? -1
                                               : 0,
                .rows = static_cast<std::size_t>(rows),
                .count = static_cast<std::size_t>(count),
                .pointers = parse_format(part(formats, 0, 16)),
                .indices = parse_format(part(formats, 16, 16)),
                .values = {}};
  if (!header.pattern) header.values = parse_format(part(formats, 32, 20));
  return header;
}

}  // namespace

Matrix read_harwell_boeing(std::istream& in) {
  Reader reader(in);
  const Header header = read_header(reader);
  std::vector<long> begins, rows;
  std::vector<double> values;
  reader.fields(header.rows + 1, header.pointers, "the columns' beginnings",
                [&](const std::string& text) { begins.push_back(to_integer(text)); });
  reader.fields(header.count, header.indices, "the rows",
                [&](const std::string& text) { rows.push_back(to_integer(text)); });
  if (!header.pattern)
    reader.fields(header.count, header.values, "the values",
                  [&](const std::string& text) { values.push_back(to_real(text)); });
  std::vector<Entry> entries;
  for (std::size_t column = 0; column < header.rows; ++column) {
    if (begins[column] < 1 || begins[column + 1] < begins[column] ||
        begins[column + 1] > static_cast<long>(header.count) + 1)
      bad_matrix("column " + std::to_string(column + 1) + " has no place");
    for (long k = begins[column] - 1; k < begins[column + 1] - 1; ++k) {
      const auto i = static_cast<std::size_t>(k);
      add_entry(entries,
                {index_of(rows[i]), static_cast<Index>(column), header.pattern ? 1 : values[i]},
                header.mirrored);
    }
  }
  return matrix_of(header.rows, std::move(entries));
}

}  // namespace sparse
