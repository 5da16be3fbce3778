// The options of the programs that multiply a sparse matrix.
#pragma once

#include <string>

#include "finite_elements.hpp"
#include "matrix.hpp"

namespace sparse {

struct CommandLine {
  ElasticBlock block = ElasticBlock::of_the_paper();
  std::string file;  ///< Read instead of a matrix that is made.
  int repeat = 20;   ///< Products by each way.
  std::string json;

  [[nodiscard]] Matrix matrix() const;
};

/// Throws std::invalid_argument, which names the option.
[[nodiscard]] CommandLine parse_command_line(int argc, char** argv);

}  // namespace sparse
