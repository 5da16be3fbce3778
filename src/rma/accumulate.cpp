// Accumulate: x += a * y, atomic per element with respect to other accumulates. Elements are added
// under the lock of the chunk of memory that they begin in, so that ranks that add to different
// places, or follow each other through a long array, do not wait for each other; one lock is held
// at a time. The lock is kept from row to row of a section as long as the rows begin in the same
// chunk.
#include "armature/accumulate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/lock.hpp"
#include "progress/rank_context.hpp"
#include "rma/daxpy.hpp"
#include "rma/section.hpp"
#include "rma/segments.hpp"

namespace armature::detail {
namespace {

using progress::LockWord;
using rma::Section;
using space::AddressSpace;

/// Adds runs of elements to one rank's memory, holding the lock of the chunk it is in.
class Adder {
 public:
  Adder(Element element, Rank rank, const void* scale, AddressSpace& space)
      : daxpy_(rma::daxpy(element, scale)),
        scale_(scale),
        element_shift_(rma::element_shift(element)),
        space_(space),
        band_(space.band(rank)),
        rank_(rank) {}
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;
  ~Adder() {
    if (held_ != nullptr) progress::unlock(*held_);
  }

  void add(std::byte* to, const std::byte* from, std::size_t bytes) {
    while (bytes > 0) {
      const auto offset = static_cast<std::size_t>(to - band_);
      // Up to the end of the chunk, and to the end of the element that crosses it.
      const std::size_t room = space::chunk_bytes - offset % space::chunk_bytes;
      const std::size_t part =
          std::min(bytes, (((room - 1) >> element_shift_) + 1) << element_shift_);
      hold(space_.chunk_lock(rank_, to));
      daxpy_(to, from, part >> element_shift_, scale_);
      to += part;
      from += part;
      bytes -= part;
    }
  }

 private:
  void hold(LockWord& word) {
    if (held_ == &word) return;
    if (held_ != nullptr) progress::unlock(*held_);
    held_ = nullptr;  // should the next line throw
    if (!progress::try_lock(word, space_.me())) [[unlikely]] {
      progress::WaitFor wait{.what = space::Awaiting::element, .call = "accumulate"};
      progress::lock_contended(word, space_.me(), wait);
    }
    held_ = &word;
  }

  rma::Daxpy daxpy_;
  const void* scale_;
  int element_shift_;
  AddressSpace& space_;
  std::byte* band_;
  Rank rank_;
  LockWord* held_ = nullptr;
};

void require_whole_elements(Element element, std::size_t bytes, const char* call) {
  const std::size_t element_bytes = std::size_t{1} << rma::element_shift(element);
  if (bytes != SIZE_MAX && (bytes & (element_bytes - 1)) != 0)
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} bytes are not a whole number of elements of {}", call, bytes,
                           element_bytes));
}

}  // namespace

void accumulate(Element element, global_ptr<void> to, const void* from, std::size_t bytes,
                const void* scale) {
  AddressSpace& space = progress::this_rank("accumulate").space;
  if (!reachable(to.rank(), to.address(), bytes)) [[unlikely]]
    space.require(to.rank(), to.address(), bytes, "accumulate");
  require_whole_elements(element, bytes, "accumulate");
  Adder adder(element, to.rank(), scale, space);
  adder.add(static_cast<std::byte*>(to.address()), static_cast<const std::byte*>(from), bytes);
}

void accumulate_strided(Element element, global_ptr<void> to, const void* from,
                        const Strided& shape, const void* scale) {
  constexpr const char* call = "accumulate_strided";
  AddressSpace& space = progress::this_rank(call).space;
  const Section section = Section::from(shape, call);
  if (section.empty()) return space.require_rank(to.rank(), call);
  require_whole_elements(element, section.row_bytes, call);
  const rma::Reach reach = rma::reach(section, section.to_strides, call);
  const auto* lowest = static_cast<const std::byte*>(to.address()) + reach.below;
  if (!reachable(to.rank(), lowest, reach.bytes)) [[unlikely]]
    space.require(to.rank(), lowest, reach.bytes, call);
  Adder adder(element, to.rank(), scale, space);
  rma::for_each_row(static_cast<std::byte*>(to.address()), static_cast<const std::byte*>(from),
                    section,
                    [&](std::byte* t, const std::byte* f) { adder.add(t, f, section.row_bytes); });
}

void accumulate_vector(Element element, Rank rank, std::span<const Segments> segments,
                       const void* scale) {
  constexpr const char* call = "accumulate_vector";
  AddressSpace& space = progress::this_rank(call).space;
  rma::check_segments(rank, segments, rma::Remote::to, call);
  for (const Segments& s : segments) require_whole_elements(element, s.bytes, call);
  if (segments.empty()) return;
  Adder adder(element, rank, scale, space);
  for (const Segments& s : segments)
    for (std::size_t i = 0; i < s.to.size(); ++i)
      adder.add(static_cast<std::byte*>(s.to[i]), static_cast<const std::byte*>(s.from[i]),
                s.bytes);
}

}  // namespace armature::detail
