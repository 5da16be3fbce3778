#include "armature/array/print.hpp"

#include <cerrno>
#include <system_error>

namespace armature::detail {

std::string write_text(std::FILE* to, const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0)
    return {};
  return std::generic_category().message(errno);
}

}  // namespace armature::detail
