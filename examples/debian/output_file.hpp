// A whole file written at once.
#pragma once

#include <string>
#include <string_view>

namespace debian {

// Throws std::runtime_error that names the file when it cannot be written.
void write_file(const std::string& name, std::string_view bytes);

}  // namespace debian
