#include "checkpoint/left_out_note.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::checkpoints {
namespace {

[[noreturn]] void fail_note(const std::string& path, const char* what) {
  base::fail(Errc::corrupt, fmt::format("{} cannot be {}", path, what));
}

}  // namespace

void note_left_out(const std::string& folder, int process, const LeftOut& left_out) {
  if (left_out.ranges().empty()) return;
  const std::string path = fmt::format("{}/{}{}", folder, left_out_name, process);
  std::ofstream file(path);
  file << left_out_title << left_out.ranges().size() << ' ' << left_out.bytes() << '\n';
  file.close();
  if (!file) fail_note(path, "written");
}

Manifest::LeftOut take_left_out(const std::string& folder) {
  Manifest::LeftOut sum;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(left_out_name)) continue;
    Manifest::LeftOut one;
    std::string title;
    if (!(std::ifstream(entry.path()) >> title >> one.ranges >> one.bytes))
      fail_note(entry.path(), "read");
    sum.ranges += one.ranges;
    sum.bytes += one.bytes;
    std::filesystem::remove(entry.path(), error);
  }
  if (error) fail_note(folder, "read");
  return sum;
}

}  // namespace armature::checkpoints
