#include "armature/array/npy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "armature/array/agreement.hpp"
#include "armature/collectives.hpp"

// The first member makes the file, or reads its header; then all have it open and move their own
// rows. What goes wrong at one is told by all: nobody goes on with half of a file.

namespace armature::detail {
namespace {

constexpr std::size_t header_max = std::size_t{1} << 20;

std::string system_text(int error) { return std::generic_category().message(error); }

std::string text_of(std::span<const std::ptrdiff_t> shape) {
  std::string text;
  for (const std::ptrdiff_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return shape.empty() ? "one element" : text;
}

/// Reads from a place until the span is full or the file ends; returns the bytes read, or -1.
std::ptrdiff_t read_all(int file, std::ptrdiff_t at, std::span<std::byte> to) {
  std::size_t got = 0;
  while (got < to.size()) {
    const ssize_t n =
        pread(file, to.data() + got, to.size() - got, at + static_cast<std::ptrdiff_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return static_cast<std::ptrdiff_t>(got);
}

/// Returns what member 0 has.
std::vector<std::byte> broadcast_bytes(const Team& team, std::vector<std::byte> bytes) {
  bytes.resize(broadcast(team, bytes.size(), 0));
  if (!bytes.empty()) broadcast(team, std::span<std::byte>(bytes), 0);
  return bytes;
}

}  // namespace

void NpyFile::agree(const std::string& mine) const {
  const std::string mistake = first_mistake(team_, mine);
  if (!mistake.empty()) throw Error(Errc::bad_argument, path_ + ": " + mistake);
}

NpyFile::NpyFile(const Team& team, const std::string& path, const npy_header& header,
                 std::size_t element_bytes)
    : team_(team),
      path_(path),
      header_(header),
      element_bytes_(static_cast<std::ptrdiff_t>(element_bytes)) {
  const std::string text = npy_header_text(header);
  header_.begin = static_cast<std::ptrdiff_t>(text.size());
  std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(element_bytes);
  for (const std::ptrdiff_t n : header.shape) bytes *= n;
  std::string wrong;
  if (team.rank() == 0) {
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0)
      wrong = "cannot be made: " + system_text(errno);
    else if (ftruncate(file_, header_.begin + bytes) != 0)
      wrong =
          "cannot have " + std::to_string(header_.begin + bytes) + " bytes: " + system_text(errno);
    else if (pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      wrong = "the header cannot be written: " + system_text(errno);
  }
  try {
    agree(wrong);
    if (team.rank() != 0) file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    agree(file_ < 0 ? "cannot be opened by rank " + std::to_string(team.rank()) + ": " +
                          system_text(errno)
                    : std::string());
  } catch (...) {
    if (file_ >= 0) close(file_);
    throw;
  }
}

NpyFile::NpyFile(const Team& team, const std::string& path, Access access)
    : team_(team), path_(path) {
  file_ = open(path.c_str(), (access == Access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  const int error = errno;
  try {
    agree(file_ < 0 ? "cannot be opened: " + system_text(error) : std::string());
    std::vector<std::byte> bytes;
    std::string wrong;
    if (team.rank() == 0) {
      bytes.resize(header_max);
      const std::ptrdiff_t got = read_all(file_, 0, bytes);
      if (got < 0) wrong = "cannot be read: " + system_text(errno);
      bytes.resize(static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
      try {
        if (got >= 0) bytes.resize(static_cast<std::size_t>(parse_npy_header({}, bytes).begin));
      } catch (const Error& mistake) {
        wrong = std::string(mistake.what());
        wrong.erase(0, wrong.find(": ") + 2);  // the name, which agree() says
      }
    }
    agree(wrong);
    header_ = parse_npy_header(path, broadcast_bytes(team, std::move(bytes)));
  } catch (...) {
    if (file_ >= 0) close(file_);
    throw;
  }
}

NpyFile::~NpyFile() {
  if (file_ >= 0) close(file_);
}

void NpyFile::require(const std::string& descr, std::span<const std::ptrdiff_t> shape,
                      std::size_t element_bytes) {
  std::string wrong;
  element_bytes_ = static_cast<std::ptrdiff_t>(element_bytes);
  std::ptrdiff_t bytes = element_bytes_;
  for (const std::ptrdiff_t n : shape) bytes *= n;
  bytes += header_.begin;
  struct stat is {};
  if (header_.descr != descr)
    wrong = "elements are '" + header_.descr + "', those of the array '" + descr + "'";
  else if (!std::ranges::equal(header_.shape, shape))
    wrong = "an array of " + text_of(header_.shape) + ", not " + text_of(shape);
  else if (fstat(file_, &is) != 0)
    wrong = "cannot be read: " + system_text(errno);
  else if (is.st_size < bytes)
    wrong = "has " + std::to_string(is.st_size) + " bytes, of " + std::to_string(bytes);
  agree(wrong);
}

void NpyFile::write(std::ptrdiff_t first, std::span<const std::byte> elements) {
  std::ptrdiff_t at = header_.begin + first * element_bytes_;
  while (!elements.empty() && wrong_.empty()) {
    const ssize_t n = pwrite(file_, elements.data(), elements.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      wrong_ = "cannot be written at byte " + std::to_string(at) + ": " +
               system_text(n < 0 ? errno : ENOSPC);
      return;
    }
    at += n;
    elements = elements.subspan(static_cast<std::size_t>(n));
  }
}

void NpyFile::read(std::ptrdiff_t first, std::span<std::byte> elements) {
  if (!wrong_.empty()) return;
  const std::ptrdiff_t at = header_.begin + first * element_bytes_;
  const std::ptrdiff_t got = read_all(file_, at, elements);
  if (got < 0)
    wrong_ = "cannot be read at byte " + std::to_string(at) + ": " + system_text(errno);
  else if (got < std::ssize(elements))
    wrong_ = "ends at byte " + std::to_string(at + got);
}

void NpyFile::finish() { agree(std::exchange(wrong_, {})); }

}  // namespace armature::detail

namespace armature {

npy_header read_npy_header(const Team& team, const std::string& path) {
  return detail::NpyFile(team, path).header();
}

}  // namespace armature
