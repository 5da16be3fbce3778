#include "debian/graph_source.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "debian/amount.hpp"
#include "debian/compact_copy.hpp"
#include "debian/package_index.hpp"

// The build says where the copy lies; the executable's own place is the second guess.
#ifndef DEBIAN_COMPACT_COPY
#define DEBIAN_COMPACT_COPY ""
#endif

namespace debian {
namespace {

namespace fs = std::filesystem;

constexpr const char* unpacker = "/usr/lib/apt/apt-helper";
constexpr std::size_t file_bytes_max = std::size_t{1} << 30;

bool is_compressed(const fs::path& file) {
  static constexpr std::array<std::string_view, 6> endings = {".lz4", ".xz",  ".gz",
                                                              ".bz2", ".zst", ".lzma"};
  const auto ending = file.extension().string();
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

bool is_readable(const fs::path& file) {
  return access(file.c_str(), R_OK) == 0 && (!is_compressed(file) || access(unpacker, X_OK) == 0);
}

// The index of one archive ("bookworm-security"), compressed or not. Of several mirrors of
// the same name the largest is the whole one.
std::optional<fs::path> find_index(const fs::path& lists, const std::string& archive) {
  const std::string wanted = "_dists_" + archive + "_main_binary-amd64_Packages";
  std::optional<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(lists, ignored)) {
    auto name = entry.path().filename();
    if (is_compressed(name)) name.replace_extension();
    if (!name.string().ends_with(wanted) || !is_readable(entry.path())) continue;
    if (!found || entry.file_size(ignored) > fs::file_size(*found, ignored)) found = entry.path();
  }
  return found;
}

std::optional<Source> find_machine_index(const fs::path& lists, Archives archives) {
  const auto release = find_index(lists, "bookworm");
  if (!release) return std::nullopt;
  Source source{{}, "this machine's package index", "Debian 12 (bookworm), main archive, amd64"};
  // The newest versions first: a package's first stanza is the one that counts.
  if (archives == Archives::all) {
    source.content += ", with security and other updates";
    for (const char* archive : {"bookworm-security", "bookworm-updates"}) {
      if (const auto index = find_index(lists, archive)) source.files.push_back(*index);
    }
  }
  source.files.push_back(*release);
  return source;
}

std::string find_compact_copy() {
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  const auto beside_build = program.parent_path() / "../../../examples/debian/data";
  for (const fs::path& file :
       {fs::path(DEBIAN_COMPACT_COPY), beside_build / "debian-bookworm.graph"}) {
    if (access(file.c_str(), R_OK) == 0) return file.lexically_normal();
  }
  throw GraphError(
      "found neither a package index of Debian bookworm on this machine nor the compact copy; "
      "name a file with --source");
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

using Sink = std::function<void(std::string_view)>;

void read_all(std::FILE* stream, const std::string& name, const Sink& sink) {
  std::array<char, 1 << 16> block;
  while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), stream)) {
    sink({block.data(), bytes});
  }
  if (std::ferror(stream) != 0) throw GraphError(name + ": " + std::strerror(errno));
}

void read_plain(const std::string& file, const Sink& sink) {
  if (fs::is_directory(file)) throw GraphError(file + ": is a folder, not a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (stream == nullptr) throw GraphError(file + ": " + std::strerror(errno));
  read_all(stream.get(), file, sink);
}

void read_compressed(const std::string& file, const Sink& sink) {
  if (access(unpacker, X_OK) != 0) {
    throw GraphError(file + ": unpacking it takes apt's " + unpacker +
                     ", which is not here; give an unpacked file");
  }
  const std::string command =
      std::string(unpacker) + " cat-file " + shell_quoted(file) + " 2>/dev/null";
  int status = 0;
  const auto close = [&status](std::FILE* pipe) { status = pclose(pipe); };
  {
    const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "re"), close);
    if (pipe == nullptr) throw GraphError(file + ": " + std::strerror(errno));
    read_all(pipe.get(), file, sink);
  }
  if (status != 0) throw GraphError(file + ": cannot be unpacked; it is damaged or cut off");
}

std::string first_bytes(const std::string& file) {
  std::string bytes(64, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

}  // namespace

Source find_source(const std::string& file, Archives archives, const std::string& lists) {
  if (!file.empty()) return {{file}, "the file given", fs::path(file).filename()};
  if (auto index = find_machine_index(lists, archives)) return *index;
  return {{find_compact_copy()}, "the repository's compact copy", ""};
}

PackageGraph read_graph(const Source& source) {
  if (source.files.size() == 1 && is_compact_copy(first_bytes(source.files[0]))) {
    std::string bytes;
    read_plain(source.files[0], [&](std::string_view block) {
      bytes += block;
      if (bytes.size() > file_bytes_max) throw GraphError(source.files[0] + ": too large");
    });
    return read_compact_copy(bytes, source.files[0]);
  }
  PackageIndex index;
  for (const std::string& file : source.files) {
    index.begin_file(file);
    const auto feed = [&index](std::string_view block) { index.feed(block); };
    if (is_compressed(file)) {
      if (access(file.c_str(), R_OK) != 0) throw GraphError(file + ": " + std::strerror(errno));
      read_compressed(file, feed);
    } else {
      read_plain(file, feed);
    }
    index.end_file();
  }
  PackageGraph graph = index.finish();
  graph.origin = source.content;
  return graph;
}

std::string describe(const Source& source, const PackageGraph& graph) {
  std::string lines = fmt::format("source        {}: {}\n", source.place, graph.origin);
  for (const std::string& file : source.files) lines += fmt::format("              {}\n", file);
  return lines + fmt::format("packages      {}\n", grouped(graph.names.size()));
}

}  // namespace debian
