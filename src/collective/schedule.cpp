#include "collective/schedule.hpp"

namespace armature::collective {

void Schedule::end() {
  if (begin_of(ends_.size()) != Ends{receives_.size(), sends_.size(), steps_.size()}) end_stage();
}

// Elements are aligned to 64 bytes, as in every allocation.
Place Schedule::take_scratch(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  const Place place{Buffer::scratch, scratch_bytes_};
  scratch_bytes_ += (bytes + alignment - 1) / alignment * alignment;
  return place;
}

Schedule::Stage Schedule::stage(std::size_t number) const {
  const Ends begin = begin_of(number), end = ends_[number];
  return {std::span(receives_).subspan(begin.receives, end.receives - begin.receives),
          std::span(sends_).subspan(begin.sends, end.sends - begin.sends),
          std::span(steps_).subspan(begin.steps, end.steps - begin.steps)};
}

}  // namespace armature::collective
