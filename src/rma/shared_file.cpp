#include "rma/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"

namespace armature::rma {
namespace {

/// A mapping as a line of /proc/PID/maps tells it (proc_pid_maps(5)).
struct Line {
  std::uint64_t begin = 0, end = 0;
  space::SharedFile file;  // its offset is that of `begin`
  std::string path;
};

std::uint64_t hexadecimal(std::string_view& text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
  return number;  // behind it, and the sign that follows
}

/// The mapping of a process that holds all of these addresses, if it is shared.
std::optional<Line> mapping_at(pid_t pid, std::uint64_t begin, std::uint64_t bytes) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string text; std::getline(maps, text);) {
    std::string_view rest = text;
    Line line{.begin = hexadecimal(rest), .end = hexadecimal(rest)};
    if (line.end <= begin) continue;
    if (line.begin > begin || bytes > line.end - begin || rest.substr(3, 1) != "s") break;
    rest.remove_prefix(std::string_view("rw-s ").size());
    line.file.offset = hexadecimal(rest);
    const auto major_number = static_cast<unsigned>(hexadecimal(rest));
    line.file.device = makedev(major_number, static_cast<unsigned>(hexadecimal(rest)));
    std::istringstream name_behind{std::string(rest)};
    name_behind >> line.file.inode >> std::ws;
    std::getline(name_behind, line.path);
    return line;
  }
  return std::nullopt;
}

bool is_of(const std::string& path, const space::SharedFile& file) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_dev == file.device &&
         found.st_ino == file.inode;
}

/// A path by which this process can open a file that another one has mapped: its name, or a
/// descriptor of the other one if it has no name (memfd_create(2)). Empty if there is none.
std::string path_to(const space::SharedFile& file, const Line& line, pid_t owner) {
  if (is_of(line.path, file)) return line.path;
  std::error_code unreadable;
  using std::filesystem::directory_iterator;
  for (directory_iterator at(fmt::format("/proc/{}/fd", owner), unreadable), end;
       !unreadable && at != end; at.increment(unreadable))
    if (is_of(at->path(), file)) return at->path();
  return {};
}

}  // namespace

space::SharedFile shared_file_at(const void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  const auto line = mapping_at(getpid(), begin, bytes);
  if (!line || line->file.inode == 0) return {};
  space::SharedFile file = line->file;
  file.offset += begin - line->begin;
  return file;
}

FileMapping::FileMapping(pid_t owner, const space::Exposures::Range& range) {
  const auto line = mapping_at(owner, range.begin, range.bytes);
  if (!line) return;
  const std::string path = path_to(range.file, *line, owner);
  if (path.empty()) return;
  const base::FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return;
  // Between the look at the name and open() another file may have got it.
  struct stat opened {};
  if (fstat(file.get(), &opened) != 0 || opened.st_dev != range.file.device ||
      opened.st_ino != range.file.inode)
    return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t before = range.file.offset % page;
  bytes_ = range.bytes + before;
  void* const pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                           static_cast<off_t>(range.file.offset - before));
  if (pages == MAP_FAILED) return;
  pages_ = pages;
  first_ = static_cast<std::byte*>(pages) + before;
}

FileMapping::~FileMapping() {
  if (pages_ != nullptr) munmap(pages_, bytes_);
}

}  // namespace armature::rma
