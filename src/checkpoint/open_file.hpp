#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file_descriptor.hpp"

namespace armature::checkpoints {

/// A file that is open for reading, or why it is not.
struct OpenFile {
  base::FileDescriptor file;
  std::uint64_t bytes = 0;  // as long as it is
  int error = 0;
  std::string problem;
};
/// Does not wait: what is no file, as a FIFO that nobody writes to, is not opened.
OpenFile open_file(const std::string& path);
/// How many bytes there were up to its end, and no more than that many. Throws Error(corrupt).
std::size_t read_up_to(const base::FileDescriptor& file, void* to, std::size_t bytes_max,
                       const std::string& path);

}  // namespace armature::checkpoints
