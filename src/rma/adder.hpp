#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "armature/accumulate.hpp"
#include "rma/daxpy.hpp"
#include "space/mapping.hpp"
#include "wait/lock.hpp"

namespace armature::rma {

/// Adds runs of elements to the memory of one rank of this node, holding the lock of the chunk they
/// are in. `contended` waits for a lock that another holds, and takes it.
class Adder {
 public:
  using Contended = void (*)(wait::LockWord& word, int me);

  Adder(detail::Element element, Rank rank, const void* scale, const space::Mapping& mapping,
        int me, Contended contended)
      : daxpy_(daxpy(element, scale)),
        scale_(scale),
        element_shift_(element_shift(element)),
        mapping_(mapping),
        segment_(mapping.segment(rank)),
        rank_(rank),
        me_(me),
        contended_(contended) {}
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;
  ~Adder() {
    if (held_ != nullptr) wait::unlock(*held_);
  }

  void add(std::byte* to, const std::byte* from, std::size_t bytes) {
    while (bytes > 0) {
      const auto offset = static_cast<std::size_t>(to - segment_);
      // Up to the end of the chunk, and to the end of the element that crosses it.
      const std::size_t room = space::chunk_bytes - offset % space::chunk_bytes;
      const std::size_t part =
          std::min(bytes, (((room - 1) >> element_shift_) + 1) << element_shift_);
      hold(mapping_.chunk_lock(rank_, to));
      daxpy_(to, from, part >> element_shift_, scale_);
      to += part;
      from += part;
      bytes -= part;
    }
  }

  /// Holds no lock from here to the next run.
  void let_go() {
    if (held_ != nullptr) wait::unlock(*std::exchange(held_, nullptr));
  }

 private:
  void hold(wait::LockWord& word) {
    if (held_ == &word) return;
    if (held_ != nullptr) wait::unlock(*held_);
    held_ = nullptr;  // should the next line throw
    if (!wait::try_lock(word, me_)) [[unlikely]]
      contended_(word, me_);
    held_ = &word;
  }

  Daxpy daxpy_;
  const void* scale_;
  int element_shift_;
  const space::Mapping& mapping_;
  std::byte* segment_;
  Rank rank_;
  int me_;
  Contended contended_;
  wait::LockWord* held_ = nullptr;
};

}  // namespace armature::rma
