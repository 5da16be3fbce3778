// A page may be read while it is written, so a new one takes the place of the old one when it is
// whole.
#include "command/inspect/pictures.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "command/stream.hpp"
#include "command/trace/picture.hpp"
#include "command/trace/recorded.hpp"

namespace armature::command {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  base::fail(Errc::start, fmt::format("{} cannot be written: {}", path, base::system_text(error)));
}

/// Permissions of the file at this place: those that it has, or what the user's mask leaves.
mode_t mode_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return status.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// Whether links lead from this place to a file by the number of who has opened it.
bool is_to_open_file(std::filesystem::path place) {
  constexpr int links_max = 40;  // as the kernel has it
  std::error_code error;
  for (int i = 0; i < links_max && std::filesystem::is_symlink(place, error); ++i) {
    const std::filesystem::path folder = std::filesystem::canonical(place.parent_path(), error);
    if (error) return false;
    if (folder.native().starts_with("/proc/")) return true;
    place = folder / std::filesystem::read_symlink(place, error);
  }
  return false;
}

template <class Write>
void write_file(const std::string& path, Write write) {
  // Something else than a file is written as it is. So is a link of the system's to one that is
  // open, such as /dev/stdout: a file must not take its place.
  std::error_code is_new;
  const bool takes_place =
      (std::filesystem::is_regular_file(path, is_new) || is_new) && !is_to_open_file(path);
  if (!takes_place) (void)std::fflush(stdout);  // it may be the same
  std::string first = path + (takes_place ? ".XXXXXX" : "");
  // Nobody else knows the name of what is written beside it.
  base::FileDescriptor opened(takes_place ? mkostemp(first.data(), O_CLOEXEC)
                                          : open(first.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!opened) cannot_write(path, errno);
  if (takes_place) (void)fchmod(opened.get(), mode_of(path));
  Stream file(fdopen(opened.get(), "w"));
  if (file == nullptr) cannot_write(path, errno);
  (void)opened.release();
  int error = write(file.get());
  if (error == 0 && std::fclose(file.release()) != 0) error = errno;
  if (error == 0 && takes_place && std::rename(first.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (takes_place) (void)std::remove(first.c_str());
  cannot_write(path, error);
}

}  // namespace

void write_trace_of(const ObservedJob& job, const std::string& path) {
  const auto [file, kind] = job.open_trace();
  if (!file)
    base::fail(Errc::start,
               fmt::format("--trace: nothing is kept of what job {} did: `armature run` has not "
                           "started it",
                           job.pid()));
  const Recorded recorded = read_events(file.get(), *kind, job.control().header());
  TracedNames names(file.get());
  write_file(path, [&](std::FILE* to) { return write_trace(to, path, recorded, names); });
}

Page::Page(const ObservedJob& job, const std::string& text)
    : pid(job.pid()), body("<pre>" + escaped_for_html(text) + "</pre>\n") {
  const auto [file, kind] = job.open_trace();
  if (!file) return;
  TracedNames names(file.get());
  body += pictures(read_events(file.get(), *kind, job.control().header()), names);
}

void write_page(const Page& page, const std::string& path, double again_s) {
  const std::string text = page_of(fmt::format("Job {}", page.pid), page.body, again_s);
  write_file(path, [&](std::FILE* to) {
    return std::fwrite(text.data(), 1, text.size(), to) == text.size() ? 0 : errno;
  });
}

}  // namespace armature::command
