#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

#include "matrix_file.hpp"

namespace sparse {
namespace {

struct Banner {
  bool pattern = false;
  int mirrored = 0;
};

Banner parse_banner(std::string line) {
  std::ranges::transform(line, line.begin(), [](unsigned char c) { return std::tolower(c); });
  std::istringstream words(line);
  std::string mark, object, format, field, symmetry;
  words >> mark >> object >> format >> field >> symmetry;
  if (mark != "%%matrixmarket" || object != "matrix" || format != "coordinate")
    bad_matrix("no coordinate matrix of the Matrix Market");
  if (field != "real" && field != "integer" && field != "pattern")
    bad_matrix("its entries are '" + field + "': give real, integer or pattern");
  Banner banner{.pattern = field == "pattern"};
  if (symmetry == "symmetric") {
    banner.mirrored = 1;
  } else if (symmetry == "skew-symmetric") {
    banner.mirrored = -1;
  } else if (symmetry != "general") {
    bad_matrix("it is '" + symmetry + "': give general, symmetric or skew-symmetric");
  }
  return banner;
}

}  // namespace

Matrix read_matrix_market(std::istream& in) {
  std::string line;
  std::getline(in, line);
  const Banner banner = parse_banner(line);
  while (std::getline(in, line) && (line.empty() || line[0] == '%')) {
  }
  std::istringstream sizes(line);
  std::size_t rows = 0, columns = 0, count = 0;
  if (!(sizes >> rows >> columns >> count)) bad_matrix("no line with its sizes");
  if (rows != columns)
    bad_matrix(std::to_string(rows) + " rows and " + std::to_string(columns) +
               " columns: give a square matrix");
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t row = 0, column = 0;
    double value = 1;
    in >> row >> column;
    if (!banner.pattern) in >> value;
    if (!in)
      bad_matrix("entry " + std::to_string(i + 1) + " of " + std::to_string(count) +
                 " is missing, or no entry");
    add_entry(entries, {index_of(row), index_of(column), value}, banner.mirrored);
  }
  return matrix_of(rows, std::move(entries));
}

}  // namespace sparse
