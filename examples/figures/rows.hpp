// Numbers that a program has measured, as a report reads them: one row for each point of a figure.
//
//   {"rows":[{"figure":"armci-rma-2006.23","x":2,"series":"aggregated","value":1.5,"unit":"ms"}]}
#pragma once

#include <string>
#include <vector>

namespace figures {

struct Row {
  std::string figure;  ///< The paper and the number of its figure: "armci-rma-2006.23".
  std::string x;       ///< The place on the horizontal axis. A number is written as one.
  std::string series;  ///< The curve, or the bar.
  double value = 0;
  std::string unit;
};

class Rows {
 public:
  void add(Row row) { rows_.push_back(std::move(row)); }
  /// Writes all rows to the file, "-" being the standard output; nothing when the name is empty.
  /// Throws std::runtime_error that names the file.
  void write(const std::string& file) const;
  [[nodiscard]] std::string json() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace figures
