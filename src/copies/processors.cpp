#include "copies/processors.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

// Processors on which the ways were measured. What is not measured stays open and is tried.

namespace armature::copies {

namespace {

struct Known {
  std::string_view vendor;
  unsigned family, model_first, model_last;
  // Ways by size: page, pages, cached, past the cache.
  std::optional<Way> alike[4], skewed[4];
};

using enum Way;
constexpr auto open = std::nullopt;

constexpr Known processors_known[] = {
    // Zen 3, servers.
    {"AuthenticAMD",
     0x19,
     0x00,
     0x0f,
     {avx2, avx2, avx2, avx2_past_cache},
     {avx2, avx2, avx2, avx2_past_cache}},
    // Zen 4, servers.
    {"AuthenticAMD",
     0x19,
     0x10,
     0x1f,
     {avx2, avx2, rep_movsb, avx512_past_cache},
     {avx2, avx2, avx2, avx512_past_cache}},
    // Zen 5, servers.
    {"AuthenticAMD",
     0x1a,
     0x00,
     0x1f,
     {avx512, rep_movsb, rep_movsb, rep_movsb},
     {open, open, open, open}},
};

}  // namespace

Processor this_processor() {
  Processor processor;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return processor;
  for (const unsigned part : {b, d, c}) {
    char letters[sizeof part];
    std::memcpy(letters, &part, sizeof part);
    processor.vendor.append(letters, sizeof letters);
  }
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return processor;
  const unsigned family = a >> 8 & 0xf, model = a >> 4 & 0xf;
  processor.family = family == 0xf ? family + (a >> 20 & 0xff) : family;
  processor.model = family == 0xf || family == 0x6 ? (a >> 16 & 0xf) << 4 | model : model;
#endif
  return processor;
}

std::optional<Way> known_way(const Processor& processor, Kind kind) {
  for (const Known& each : processors_known)
    if (each.vendor == processor.vendor && each.family == processor.family &&
        processor.model >= each.model_first && processor.model <= each.model_last)
      return (kind.is_skewed ? each.skewed : each.alike)[static_cast<std::size_t>(kind.size)];
  return std::nullopt;
}

}  // namespace armature::copies
