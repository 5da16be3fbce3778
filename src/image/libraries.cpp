#include "image/libraries.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::image {
namespace {

/// Whether a library's file is the one of that name, whatever version stands behind it.
bool is_named(const Loaded& library, std::string_view name) {
  const std::string_view own = library.name();
  return own.starts_with(name) &&
         (own.size() == name.size() || (name.ends_with(".so") && own[name.size()] == '.'));
}

std::string names_of(const std::vector<Loaded>& loaded) {
  std::string text;
  for (const Loaded& one : loaded)
    if (!one.name().empty() && !is_shared(one))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", one.name());
  return text.empty() ? "none that could be copied" : text;
}

Loaded named(const std::vector<Loaded>& loaded, const std::string& name) {
  const auto found = std::ranges::find_if(
      loaded, [&](const Loaded& one) { return !one.name().empty() && is_named(one, name); });
  if (found == loaded.end())
    base::fail(Errc::start, fmt::format("--private-globals: the program is not linked with {}; the "
                                        "libraries that it is linked with: {}",
                                        name, names_of(loaded)));
  if (is_shared(*found))
    base::fail(Errc::start, fmt::format("--private-globals: {} is one that the ranks of a process "
                                        "have to share: do not name it",
                                        found->name()));
  return *found;
}

/// Whether the file holds that image, and not the loader that was told to start it.
bool holds(const base::FileDescriptor& file, const Loaded& image) {
  ElfW(Ehdr) head{};
  std::vector<ElfW(Phdr)> headers(image.headers.size());
  const auto bytes = static_cast<ssize_t>(image.headers.size_bytes());
  return pread(file.get(), &head, sizeof head, 0) == ssize_t{sizeof head} &&
         head.e_phnum == headers.size() &&
         pread(file.get(), headers.data(), image.headers.size_bytes(),
               static_cast<off_t>(head.e_phoff)) == bytes &&
         std::memcmp(headers.data(), image.headers.data(), image.headers.size_bytes()) == 0;
}

}  // namespace

std::vector<Loaded> copied_images(const bootstrap::PrivateGlobals& wanted) {
  const std::vector<Loaded> loaded = Loaded::all();
  std::vector<Loaded> found{loaded.front()};
  found.front().path = "";
  const auto add = [&](const Loaded& library) {
    const bool is_there =
        std::ranges::any_of(found, [&](const Loaded& one) { return one.base == library.base; });
    if (!is_there) found.push_back(library);
  };
  for (const std::string& name : wanted.libraries) add(named(loaded, name));
  for (const Loaded& library : loaded)
    if (keeps_units(library)) add(library);
  return found;
}

std::vector<base::FileDescriptor> files_of(const std::vector<Loaded>& images) {
  std::vector<base::FileDescriptor> files;
  for (const Loaded& image : images) {
    const char* const path = image.name().empty() ? "/proc/self/exe" : image.path;
    const base::FileDescriptor& file = files.emplace_back(open(path, O_RDONLY | O_CLOEXEC));
    if (!file)
      base::fail(Errc::start, fmt::format("--private-globals: {} cannot be read: {}", path,
                                          base::system_text(errno)));
    if (holds(file, image)) continue;
    if (!image.name().empty())
      base::fail(Errc::start, fmt::format("--private-globals: {} is not what has been loaded from "
                                          "there: it has been replaced since",
                                          path));
    base::fail(Errc::start,
               "--private-globals: /proc/self/exe is not the program, whose code is mapped from "
               "there: start the program itself, not the loader (ld-linux-x86-64.so.2)");
  }
  return files;
}

// libquadmath, with which gfortran's programs are linked, too, writes to no variable but what it
// tells the C library's printf of it, of which a process has one.
bool keeps_units(const Loaded& library) { return is_named(library, "libgfortran.so"); }

bool is_shared(const Loaded& library) {
  constexpr std::array all{"ld-linux",   "linux-vdso",    "libc.so",     "libm.so",
                           "libdl.so",   "libpthread.so", "librt.so",    "libgcc_s.so",
                           "libgomp.so", "libstdc++.so",  "libarmature", "libarmci",
                           "libc++.so",  "libc++abi.so",  "libunwind.so"};
  return std::ranges::any_of(
      all, [&](std::string_view begin) { return library.name().starts_with(begin); });
}

}  // namespace armature::image
