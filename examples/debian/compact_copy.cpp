#include "debian/compact_copy.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace debian {
namespace {

constexpr std::string_view magic = "armature package graph 1\n";
constexpr std::size_t content_bytes_max = 256 << 20;
constexpr int compression_level = 19;

void put_number(std::string& to, std::uint64_t number) {
  for (; number > 127; number >>= 7) to += static_cast<char>((number & 127) | 128);
  to += static_cast<char>(number);
}

void put_text(std::string& to, std::string_view text) {
  put_number(to, text.size());
  to += text;
}

// Reads what put_* wrote; nothing it reads is taken as a length or an index without a check.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::uint64_t number(std::uint64_t max, const char* what) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const auto byte = static_cast<unsigned char>(text(1, what)[0]);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) {
        if (value > max) fail(std::string(what) + " is out of range");
        return value;
      }
    }
    fail(std::string(what) + " is out of range");
  }

  std::string_view text(std::size_t bytes, const char* what) {
    if (bytes > bytes_.size()) fail(std::string("it ends before ") + what);
    const auto found = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return found;
  }

  std::size_t bytes_left() const { return bytes_.size(); }

  [[noreturn]] void fail(const std::string& why) const {
    throw GraphError(name_ + ": the compact copy is damaged: " + why);
  }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

std::string compress(const std::string& content) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  const std::size_t bytes =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size());
  if (ZSTD_isError(bytes)) throw std::runtime_error(ZSTD_getErrorName(bytes));
  frame.resize(bytes);
  return frame;
}

std::string decompress(std::string_view frame, const std::string& name) {
  const auto damaged = [&name](const std::string& why) {
    return GraphError(name + ": the compact copy is damaged: " + why);
  };
  const auto content_bytes = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content_bytes == ZSTD_CONTENTSIZE_ERROR || content_bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
      content_bytes > content_bytes_max) {
    throw damaged("its compressed part has no sensible size");
  }
  std::string content(content_bytes, '\0');
  const std::size_t bytes =
      ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
  if (ZSTD_isError(bytes)) throw damaged(ZSTD_getErrorName(bytes));
  if (bytes != content.size()) throw damaged("it is shorter than it says");
  return content;
}

void read_names(Reader& reader, std::size_t count, PackageGraph& graph) {
  constexpr std::size_t name_bytes_max = 1000;
  std::string name;
  for (std::size_t i = 0; i < count; ++i) {
    name.resize(reader.number(name.size(), "the shared part of a name"));
    name += reader.text(reader.number(name_bytes_max, "a name's length"), "a name");
    if (i > 0 && name <= graph.names.back()) reader.fail("its names are not in order");
    graph.names.push_back(name);
  }
}

void read_links(Reader& reader, std::size_t count, PackageGraph& graph) {
  const auto packages = static_cast<std::uint32_t>(graph.names.size());
  graph.links.reserve(count);
  for (std::uint32_t from = 0; from < packages; ++from) {
    const auto degree = reader.number(count - graph.links.size(), "a number of links");
    graph.links.insert(graph.links.end(), degree, Link{from, 0, {}});
  }
  if (graph.links.size() != count) reader.fail("the numbers of links do not add up");
  const Link* previous = nullptr;
  for (Link& link : graph.links) {
    const bool first = previous == nullptr || previous->from != link.from;
    const auto distance = reader.number(packages - 1, "a link's target");
    const auto target = distance + (first ? 0 : previous->to);
    if (target >= packages || (!first && distance == 0) || target == link.from) {
      reader.fail("a link's target is out of range");
    }
    link.to = static_cast<std::uint32_t>(target);
    previous = &link;
  }
  for (Link& link : graph.links) {
    const auto bits = reader.number(Fields::all().bits(), "a link's fields");
    if (bits == 0) reader.fail("a link without a field");
    link.fields = Fields::from_bits(static_cast<std::uint8_t>(bits));
  }
}

}  // namespace

bool is_compact_copy(std::string_view file_bytes) { return file_bytes.starts_with(magic); }

std::string write_compact_copy(const PackageGraph& graph) {
  std::string content;
  put_text(content, graph.origin);
  put_number(content, graph.names.size());
  put_number(content, graph.links.size());
  std::string_view previous;
  for (const std::string_view name : graph.names) {
    const auto [end, other] =
        std::mismatch(name.begin(), name.end(), previous.begin(), previous.end());
    const auto shared = static_cast<std::size_t>(end - name.begin());
    put_number(content, shared);
    put_text(content, name.substr(shared));
    previous = name;
  }
  std::vector<std::uint32_t> degrees(graph.names.size());
  for (const Link& link : graph.links) ++degrees[link.from];
  for (const std::uint32_t degree : degrees) put_number(content, degree);
  const Link* last = nullptr;
  for (const Link& link : graph.links) {
    const bool first = last == nullptr || last->from != link.from;
    put_number(content, link.to - (first ? 0 : last->to));
    last = &link;
  }
  for (const Link& link : graph.links) content += static_cast<char>(link.fields.bits());
  return std::string(magic) + compress(content);
}

PackageGraph read_compact_copy(std::string_view file_bytes, const std::string& name) {
  if (!is_compact_copy(file_bytes)) throw GraphError(name + ": not a compact package graph");
  const std::string content = decompress(file_bytes.substr(magic.size()), name);
  Reader reader(content, name);
  PackageGraph graph;
  graph.origin = reader.text(reader.number(content.size(), "the origin's length"), "the origin");
  // Every package and every link takes at least two bytes.
  const auto packages = reader.number(content.size() / 2, "the number of packages");
  const auto links = reader.number(content.size() / 2, "the number of links");
  if (packages == 0) reader.fail("it holds no packages");
  read_names(reader, packages, graph);
  read_links(reader, links, graph);
  if (reader.bytes_left() != 0) reader.fail("it goes on after its end");
  return graph;
}

}  // namespace debian
