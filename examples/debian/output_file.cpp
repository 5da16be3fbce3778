#include "debian/output_file.hpp"

#include <fstream>
#include <stdexcept>

namespace debian {

void write_file(const std::string& name, std::string_view bytes) {
  std::ofstream file(name, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(name + ": cannot be written");
}

}  // namespace debian
