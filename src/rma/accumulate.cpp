// Accumulate: x += a * y, atomic per element with respect to other accumulates. Elements are added
// under the lock of the chunk of memory that they begin in, so that ranks that add to different
// places, or follow each other through a long array, do not wait for each other; one lock is held
// at a time. The lock is kept from row to row of a section as long as the rows begin in the same
// chunk.
#include "armature/accumulate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rma/adder.hpp"
#include "rma/daxpy.hpp"
#include "rma/far.hpp"
#include "rma/section.hpp"
#include "rma/segments.hpp"
#include "wait/lock.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature::detail {
namespace {

using rma::Adder;
using rma::Section;
using space::AddressSpace;

/// What a rank has left half added that died in the middle is the program's to know; the elements
/// of others, which have the same lock, are whole.
void await_chunk(wait::LockWord& word, int me) {
  wait::WaitFor wait{.what = space::Awaiting::element, .call = "accumulate"};
  const AddressSpace& space = wait::this_rank("accumulate").space;
  for (;;) {
    try {
      return wait::lock_contended(word, wait::lock_token(me), wait);
    } catch (const Error& error) {
      if (error.code() != Errc::rank_lost || wait.peer < 0 ||
          space.slot(wait.peer).life.load(std::memory_order_acquire) != space::Life::dead)
        throw;
      wait::unlock_of_dead(word, wait.peer);
    }
  }
}

void require_whole_elements(Element element, std::size_t bytes, const char* call) {
  const std::size_t element_bytes = std::size_t{1} << rma::element_shift(element);
  if (bytes != SIZE_MAX && (bytes & (element_bytes - 1)) != 0)
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} bytes are not a whole number of elements of {}", call, bytes,
                           element_bytes));
}

rma::FarUpdate update_of(Element element, const void* scale, const char* call) {
  return {static_cast<std::uint32_t>(element), scale, call};
}

}  // namespace

namespace {

/// Whether the caller waits, or has a handle for that.
enum class Completion { blocking, later };

/// To a rank on another node: nullptr where `from` may be changed.
Request* write(Completion completion, rma::Network& net, Rank rank, void* to, const void* from,
               const Section& section, const rma::FarUpdate& update) {
  if (completion == Completion::later)
    return rma::write_far_later(net, rank, to, from, section, update);
  rma::write_far(net, rank, to, from, section, update);
  return nullptr;
}

Request* accumulate(Completion completion, Element element, global_ptr<void> to, const void* from,
                    std::size_t bytes, const void* scale) {
  const wait::ThreadCall under_way("accumulate");
  AddressSpace& space = wait::this_rank("accumulate").space;
  if (rma::Network* const net = rma::far(to.rank(), "accumulate"); net != nullptr) [[unlikely]] {
    rma::require_far(*net, to.rank(), to.address(), bytes, "accumulate");
    require_whole_elements(element, bytes, "accumulate");
    if (bytes == 0) return nullptr;
    Section whole;
    whole.row_bytes = bytes;
    return write(completion, *net, to.rank(), to.address(), from, whole,
                 update_of(element, scale, "accumulate"));
  }
  if (!reachable(to.rank(), to.address(), bytes)) [[unlikely]]
    space.require(to.rank(), to.address(), bytes, "accumulate");
  require_whole_elements(element, bytes, "accumulate");
  Adder adder(element, to.rank(), scale, space, space.me(), await_chunk);
  adder.add(static_cast<std::byte*>(to.address()), static_cast<const std::byte*>(from), bytes);
  return nullptr;
}

Request* accumulate_strided(Completion completion, Element element, global_ptr<void> to,
                            const void* from, const Strided& shape, const void* scale) {
  constexpr const char* call = "accumulate_strided";
  const wait::ThreadCall under_way(call);
  AddressSpace& space = wait::this_rank(call).space;
  const Section section = Section::from(shape, call);
  if (section.empty()) return space.require_rank(to.rank(), call), nullptr;
  require_whole_elements(element, section.row_bytes, call);
  const rma::Reach reach = rma::reach(section, section.to_strides, call);
  const auto* lowest = static_cast<const std::byte*>(to.address()) + reach.below;
  if (rma::Network* const net = rma::far(to.rank(), call); net != nullptr) [[unlikely]] {
    rma::require_far(*net, to.rank(), lowest, reach.bytes, call);
    return write(completion, *net, to.rank(), to.address(), from, section,
                 update_of(element, scale, call));
  }
  if (!reachable(to.rank(), lowest, reach.bytes)) [[unlikely]]
    space.require(to.rank(), lowest, reach.bytes, call);
  Adder adder(element, to.rank(), scale, space, space.me(), await_chunk);
  rma::for_each_row(static_cast<std::byte*>(to.address()), static_cast<const std::byte*>(from),
                    section,
                    [&](std::byte* t, const std::byte* f) { adder.add(t, f, section.row_bytes); });
  return nullptr;
}

Request* accumulate_vector(Completion completion, Element element, Rank rank,
                           std::span<const Segments> segments, const void* scale) {
  constexpr const char* call = "accumulate_vector";
  const wait::ThreadCall under_way(call);
  AddressSpace& space = wait::this_rank(call).space;
  rma::check_segments(rank, segments, rma::Remote::to, call);
  for (const Segments& s : segments) require_whole_elements(element, s.bytes, call);
  if (segments.empty()) return nullptr;
  if (rma::Network* const net = rma::far(rank, call); net != nullptr) [[unlikely]] {
    const rma::FarUpdate update = update_of(element, scale, call);
    if (completion == Completion::later) return rma::write_far_later(*net, rank, segments, update);
    for (const Segments& s : segments) rma::write_far(*net, rank, s, update);
    return nullptr;
  }
  Adder adder(element, rank, scale, space, space.me(), await_chunk);
  for (const Segments& s : segments)
    for (std::size_t i = 0; i < s.to.size(); ++i)
      adder.add(static_cast<std::byte*>(s.to[i]), static_cast<const std::byte*>(s.from[i]),
                s.bytes);
  return nullptr;
}

}  // namespace

void accumulate(Element element, global_ptr<void> to, const void* from, std::size_t bytes,
                const void* scale) {
  (void)accumulate(Completion::blocking, element, to, from, bytes, scale);
}
void accumulate_strided(Element element, global_ptr<void> to, const void* from,
                        const Strided& shape, const void* scale) {
  (void)accumulate_strided(Completion::blocking, element, to, from, shape, scale);
}
void accumulate_vector(Element element, Rank rank, std::span<const Segments> segments,
                       const void* scale) {
  (void)accumulate_vector(Completion::blocking, element, rank, segments, scale);
}
Request* accumulate_later(Element element, global_ptr<void> to, const void* from, std::size_t bytes,
                          const void* scale) {
  return accumulate(Completion::later, element, to, from, bytes, scale);
}
Request* accumulate_strided_later(Element element, global_ptr<void> to, const void* from,
                                  const Strided& shape, const void* scale) {
  return accumulate_strided(Completion::later, element, to, from, shape, scale);
}
Request* accumulate_vector_later(Element element, Rank rank, std::span<const Segments> segments,
                                 const void* scale) {
  return accumulate_vector(Completion::later, element, rank, segments, scale);
}

}  // namespace armature::detail
