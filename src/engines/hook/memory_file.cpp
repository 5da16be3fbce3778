#include "engines/hook/memory_file.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace armature::transport {
namespace {

/// A mapping, as a line of /proc/self/maps tells it (proc_pid_maps(5)).
struct Line {
  std::uint64_t begin = 0, end = 0, offset = 0, inode = 0;
  dev_t device = 0;
  bool is_shared = false;

  explicit Line(const std::string& text) {
    char rights[5] = "";
    unsigned major_number = 0, minor_number = 0;
    unsigned long first = 0, last = 0, at = 0, number = 0;
    // NOLINTNEXTLINE(cert-err34-c): the kernel writes these numbers
    if (std::sscanf(text.c_str(), "%lx-%lx %4s %lx %x:%x %lu", &first, &last, rights, &at,
                    &major_number, &minor_number, &number) != 7)
      return;
    begin = first;
    end = last;
    offset = at;
    inode = number;
    device = makedev(major_number, minor_number);
    is_shared = rights[3] == 's';
  }
};

/// The number under which this process has that file open, or -1.
int descriptor_of(dev_t device, std::uint64_t inode) {
  using std::filesystem::directory_iterator;
  std::error_code unreadable;
  for (directory_iterator at("/proc/self/fd", unreadable), end; !unreadable && at != end;
       at.increment(unreadable)) {
    struct stat found {};
    if (stat(at->path().c_str(), &found) == 0 && found.st_dev == device && found.st_ino == inode)
      return std::stoi(at->path().filename());
  }
  return -1;
}

}  // namespace

// Protection cuts a mapping in several, which lie behind each other in the file, too.
std::optional<MemoryFile> memory_file_behind(std::span<const std::byte> memory) {
  const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
  const std::uint64_t end = begin + memory.size();
  std::uint64_t known_to = begin, first_offset = 0, inode = 0;
  dev_t device = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string text; known_to < end && std::getline(maps, text);) {
    const Line line(text);
    if (line.end <= known_to) continue;
    if (line.begin > known_to || !line.is_shared || line.inode == 0) return std::nullopt;
    const std::uint64_t offset = line.offset + (known_to - line.begin);
    if (known_to == begin) {
      first_offset = offset;
      device = line.device;
      inode = line.inode;
    } else if (line.device != device || line.inode != inode ||
               offset != first_offset + (known_to - begin)) {
      return std::nullopt;
    }
    known_to = line.end;
  }
  if (known_to < end) return std::nullopt;
  const int descriptor = descriptor_of(device, inode);
  if (descriptor < 0) return std::nullopt;
  return MemoryFile{descriptor, first_offset};
}

}  // namespace armature::transport
