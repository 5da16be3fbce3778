#include "armature/array/transfers.hpp"

#include <algorithm>
#include <utility>

#include "armature/locality.hpp"
#include "armature/run.hpp"

// One box is a strided transfer. Several boxes for one rank, as of blocks that are dealt out, would
// be a message each: their rows go as one scattered transfer instead.

namespace armature::detail {

ArrayTransfers::OneBox ArrayTransfers::described(Rank rank, std::byte* remote, std::byte* local,
                                                 const ArrayBox& box) const {
  const auto bytes = static_cast<std::ptrdiff_t>(element_bytes_);
  const auto local_bytes = static_cast<std::ptrdiff_t>(field_.bytes);
  const bool is_whole = field_.bytes == element_bytes_;
  OneBox one{.rank = rank,
             .remote = remote + box.remote * bytes + static_cast<std::ptrdiff_t>(field_.offset),
             .local = local + box.local * local_bytes};
  one.counts[0] = field_.bytes;
  for (int i = 0; i < box.levels; ++i) {
    const ArrayBox::Level& level = box.level[static_cast<std::size_t>(i)];
    const auto count = static_cast<std::size_t>(level.count);
    if (i == 0 && is_whole && level.remote_stride == 1 && level.local_stride == 1) {
      one.counts[0] *= count;
      continue;
    }
    one.remote_strides[one.levels] = level.remote_stride * bytes;
    one.local_strides[one.levels] = level.local_stride * local_bytes;
    one.counts[++one.levels] = count;
  }
  return one;
}

void ArrayTransfers::append_rows(Rows& rows, const OneBox& box) const {
  std::array<std::size_t, Strided::levels_max> at{};
  std::byte *remote = box.remote, *local = box.local;
  for (;;) {
    rows.to.push_back(verb_ == Verb::get ? local : remote);
    rows.from.push_back(verb_ == Verb::get ? remote : local);
    std::size_t level = 0;
    for (;; ++level) {
      if (level == box.levels) return;
      remote += box.remote_strides[level];
      local += box.local_strides[level];
      if (++at[level] < box.counts[level + 1]) break;
      const auto back = static_cast<std::ptrdiff_t>(box.counts[level + 1]);
      remote -= back * box.remote_strides[level];
      local -= back * box.local_strides[level];
      at[level] = 0;
    }
  }
}

void ArrayTransfers::add_rows(Rank rank, std::byte* remote, std::byte* local,
                              const std::vector<ArrayBox>& boxes) {
  std::vector<OneBox> described_boxes;
  for (const ArrayBox& box : boxes) described_boxes.push_back(described(rank, remote, local, box));
  std::ranges::stable_sort(described_boxes, {}, [](const OneBox& one) { return one.counts[0]; });
  Rows rows{.rank = rank, .to = {}, .from = {}, .iov = {}};
  std::vector<std::pair<std::size_t, std::size_t>> groups;  // where one begins, and its row length
  for (const OneBox& one : described_boxes) {
    if (groups.empty() || groups.back().second != one.counts[0])
      groups.emplace_back(rows.to.size(), one.counts[0]);
    append_rows(rows, one);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [begin, row_bytes] = groups[g];
    const std::size_t end = g + 1 < groups.size() ? groups[g + 1].first : rows.to.size();
    rows.iov.push_back({std::span<void* const>(rows.to).subspan(begin, end - begin),
                        std::span<const void* const>(rows.from).subspan(begin, end - begin),
                        row_bytes});
    bytes_ += (end - begin) * row_bytes;
  }
  scattered_.push_back(std::move(rows));
}

void ArrayTransfers::add(Rank rank, bool is_near, std::byte* remote, std::byte* local,
                         const std::vector<ArrayBox>& boxes) {
  ++ranks_;
  if (boxes.size() > (is_near ? near_boxes_max : 1)) return add_rows(rank, remote, local, boxes);
  if (boxes.size() > 1) near_.push_back(rank);
  const std::size_t begin = strided_.size();
  for (const ArrayBox& box : boxes) {
    const OneBox one = described(rank, remote, local, box);
    std::size_t bytes = 1;
    for (std::size_t i = 0; i <= one.levels; ++i) bytes *= one.counts[i];
    bytes_ += bytes;
    if (std::none_of(strided_.begin() + static_cast<std::ptrdiff_t>(begin), strided_.end(),
                     [&](OneBox& before) { return joined(before, one); }))
      strided_.push_back(one);
  }
}

bool ArrayTransfers::joined(OneBox& box, const OneBox& other) {
  if (box.levels == 0 || box.levels == Strided::levels_max || box.is_pair ||
      box.counts[0] > pair_row_bytes_max || box.levels != other.levels ||
      box.counts != other.counts || box.remote_strides != other.remote_strides ||
      box.local_strides != other.local_strides)
    return false;
  // Pairs of such rows have a loop of their own. Others come by lines, which stay in the cache.
  const bool is_row_by_row = box.counts[0] == 4 || box.counts[0] == 8 || box.counts[0] == 16;
  const std::size_t at = is_row_by_row ? 0 : 1;
  for (std::size_t i = box.levels; i > at; --i) {
    box.counts[i + 1] = box.counts[i];
    box.remote_strides[i] = box.remote_strides[i - 1];
    box.local_strides[i] = box.local_strides[i - 1];
  }
  box.counts[at + 1] = 2;
  box.remote_strides[at] = other.remote - box.remote;
  box.local_strides[at] = other.local - box.local;
  ++box.levels;
  box.is_pair = true;
  return true;
}

void ArrayTransfers::add_elements(Rank rank, std::span<std::byte* const> remote,
                                  std::span<std::byte* const> local) {
  ++ranks_;
  Rows rows{.rank = rank, .to = {}, .from = {}, .iov = {}};
  const bool is_get = verb_ == Verb::get;
  rows.to.assign((is_get ? local : remote).begin(), (is_get ? local : remote).end());
  rows.from.assign((is_get ? remote : local).begin(), (is_get ? remote : local).end());
  rows.iov.push_back({rows.to, rows.from, element_bytes_});
  bytes_ += remote.size() * element_bytes_;
  scattered_.push_back(std::move(rows));
}

Strided ArrayTransfers::shape_of(const OneBox& one) const {
  const std::span<const std::ptrdiff_t> remote(one.remote_strides.data(), one.levels);
  const std::span<const std::ptrdiff_t> local(one.local_strides.data(), one.levels);
  const std::span<const std::size_t> counts(one.counts.data(), one.levels + 1);
  return verb_ == Verb::get ? Strided{counts, local, remote} : Strided{counts, remote, local};
}

Handle ArrayTransfers::start_one(const OneBox& one) const {
  const global_ptr<void> remote(one.rank, one.remote);
  if (verb_ == Verb::put) return put_strided_async(remote, one.local, shape_of(one));
  if (verb_ == Verb::get) return get_strided_async(one.local, remote, shape_of(one));
  return Handle(accumulate_strided_later(element_, remote, one.local, shape_of(one), scale_));
}

Handle ArrayTransfers::start_one(const Rows& rows) const {
  if (verb_ == Verb::put) return put_vector_async(rows.rank, rows.iov);
  if (verb_ == Verb::get) return get_vector_async(rows.rank, rows.iov);
  return Handle(accumulate_vector_later(element_, rows.rank, rows.iov, scale_));
}

void ArrayTransfers::perform_one(const OneBox& one) const {
  const global_ptr<void> remote(one.rank, one.remote);
  if (verb_ == Verb::put)
    put_strided(remote, one.local, shape_of(one));
  else if (verb_ == Verb::get)
    get_strided(one.local, remote, shape_of(one));
  else
    accumulate_strided(element_, remote, one.local, shape_of(one), scale_);
}

void ArrayTransfers::perform_one(const Rows& rows) const {
  if (verb_ == Verb::put)
    put_vector(rows.rank, rows.iov);
  else if (verb_ == Verb::get)
    get_vector(rows.rank, rows.iov);
  else
    accumulate_vector(element_, rows.rank, rows.iov, scale_);
}

void ArrayTransfers::start() {
  under_way_.reserve(operations());
  try {
    start(under_way_);
  } catch (...) {
    under_way_.clear();  // which waits: the local memory may be gone after
    throw;
  }
}

void ArrayTransfers::wait() {
  try {
    wait_all(under_way_);
  } catch (...) {
    under_way_.clear();
    throw;
  }
  under_way_.clear();
}

void ArrayTransfers::move_local(std::byte* local) {
  const std::ptrdiff_t by = local - local_;
  if (by == 0) return;
  for (OneBox& one : strided_) one.local += by;
  for (Rows& rows : scattered_) {
    // Lists of pieces are spans of these, which stay where they are.
    if (verb_ == Verb::get)
      for (void*& at : rows.to) at = static_cast<std::byte*>(at) + by;
    else
      for (void*& at : rows.from) at = static_cast<std::byte*>(at) + by;
  }
  local_ = local;
}

bool ArrayTransfers::is_as_planned() const {
  return std::ranges::all_of(near_, [](Rank rank) { return same_node(world().rank(), rank); });
}

void ArrayTransfers::perform() {
  // Several gets are under way at once. Of one the caller waits for the answer itself.
  if (verb_ == Verb::get && operations() > 1) {
    start();
    return wait();
  }
  for (const OneBox& one : strided_) perform_one(one);
  for (const Rows& rows : scattered_) perform_one(rows);
}

std::size_t ArrayTransfers::messages() const {
  const auto is_far = [](const auto& one) { return !same_node(world().rank(), one.rank); };
  return static_cast<std::size_t>(std::ranges::count_if(strided_, is_far) +
                                  std::ranges::count_if(scattered_, is_far));
}

void ArrayTransfers::start(std::vector<Handle>& under_way) const {
  const auto keep = [&](Handle one) {
    if (!one.is_empty()) under_way.push_back(std::move(one));
  };
  for (const OneBox& one : strided_) keep(start_one(one));
  for (const Rows& rows : scattered_) keep(start_one(rows));
}

}  // namespace armature::detail
