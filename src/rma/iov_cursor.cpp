#include "rma/iov_cursor.hpp"

#include <algorithm>
#include <utility>

#include "armature/detail/transfer.hpp"

namespace armature::rma {

IovCursor IovCursor::contiguous(std::byte* start, std::size_t bytes) {
  return subarray(start, bytes, {});
}

IovCursor IovCursor::subarray(std::byte* start, std::size_t row_bytes, const Levels& levels) {
  IovCursor cursor;
  cursor.at_ = cursor.row_ = start;
  cursor.left_ = cursor.row_bytes_ = row_bytes;
  cursor.levels_ = levels;
  return cursor;
}

IovCursor IovCursor::pieces(std::vector<std::byte*> starts, std::size_t bytes) {
  IovCursor cursor;
  if (starts.empty() || bytes == 0) return cursor;
  cursor.at_ = starts.front();
  cursor.left_ = cursor.row_bytes_ = bytes;
  cursor.starts_ = std::move(starts);
  return cursor;
}

void IovCursor::next_row() {
  if (!starts_.empty()) {
    if (++piece_ == starts_.size()) return;
    at_ = starts_[piece_];
    left_ = row_bytes_;
    return;
  }
  for (std::size_t level = 0; level < levels_.levels; ++level) {
    row_ += levels_.strides[level];
    if (++index_[level] < levels_.counts[level]) {
      at_ = row_;
      left_ = row_bytes_;
      return;
    }
    row_ -= static_cast<std::ptrdiff_t>(levels_.counts[level]) * levels_.strides[level];
    index_[level] = 0;
  }
}

void IovCursor::skip(std::size_t bytes) {
  at_ += bytes;
  left_ -= bytes;
  if (left_ == 0) next_row();
}

std::size_t IovCursor::take(std::byte* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && left_ > 0) {
    const std::size_t part = std::min(left_, bytes - done);
    detail::copy(to + done, at_, part);
    done += part;
    skip(part);
  }
  return done;
}

std::size_t IovCursor::list(std::vector<std::span<const std::byte>>& places, std::size_t bytes,
                            std::size_t places_max) {
  std::size_t listed = 0;
  while (listed < bytes && places.size() < places_max && left_ > 0) {
    places.push_back(next().first(std::min(left_, bytes - listed)));
    listed += places.back().size();
    skip(places.back().size());
  }
  return listed;
}

std::size_t IovCursor::put(const std::byte* from, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && left_ > 0) {
    const std::size_t part = std::min(left_, bytes - done);
    detail::copy(at_, from + done, part);
    done += part;
    skip(part);
  }
  return done;
}

}  // namespace armature::rma
