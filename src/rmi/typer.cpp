#include "armature/typer.hpp"

#include <fmt/format.h>

#include "armature/marshal.hpp"
#include "base/fail.hpp"

namespace armature {

namespace {
// Tells in a message what a pointer is.
constexpr std::uint8_t fresh = 0, null = 1, alias = 2;
}  // namespace

void typer::note(const void* begin, std::size_t bytes) {
  root_->regions_.push_back({const_cast<char*>(static_cast<const char*>(begin)), bytes});
}

typer::Alias typer::begin_pointer(void* pointer) {
  const std::vector<Region>& regions = root_->regions_;
  std::uint8_t kind = fresh;
  std::uint32_t region = 0;
  std::uint64_t offset = 0;
  if (!archive_.is_unpacking()) {
    kind = pointer == nullptr ? null : fresh;
    const auto* at = static_cast<char*>(pointer);
    for (std::size_t i = 0; i < regions.size() && kind == fresh; ++i)
      if (at >= regions[i].begin && at < regions[i].begin + regions[i].bytes) {
        kind = alias;
        region = static_cast<std::uint32_t>(i);
        offset = static_cast<std::uint64_t>(at - regions[i].begin);
      }
  }
  archive_.value(kind);
  if (kind == null) return {true, nullptr};
  if (kind == fresh) return {false, nullptr};
  archive_.value(region);
  archive_.value(offset);
  if (kind != alias || region >= regions.size() || offset > regions[region].bytes)
    detail::Reader::corrupt();
  return {true, regions[region].begin + offset};
}

void* typer::alias_of(void* pointer) {
  const std::vector<Region>& regions = root_->regions_;
  std::uint32_t region = UINT32_MAX;
  std::uint64_t offset = 0;
  if (!archive_.is_unpacking() && pointer != nullptr) {
    const auto* at = static_cast<char*>(pointer);
    const auto find = [&](bool at_the_end) {
      for (std::size_t i = regions.size(); i-- > 0 && region == UINT32_MAX;)
        if (at >= regions[i].begin && at < regions[i].begin + regions[i].bytes + at_the_end) {
          region = static_cast<std::uint32_t>(i);
          offset = static_cast<std::uint64_t>(at - regions[i].begin);
        }
    };
    find(false);
    find(true);  // an end counts, where nothing else begins
    if (region == UINT32_MAX)
      base::fail(Errc::bad_argument,
                 "define_type: an offset pointer points to nothing that was described before it");
  }
  archive_.value(region);
  archive_.value(offset);
  if (region == UINT32_MAX) return nullptr;
  if (region >= regions.size() || offset > regions[region].bytes) detail::Reader::corrupt();
  return regions[region].begin + offset;
}

}  // namespace armature
