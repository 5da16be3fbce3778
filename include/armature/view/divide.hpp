#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "armature/container/blocks.hpp"
#include "armature/container/range.hpp"
#include "armature/view/all.hpp"
#include "armature/view/concepts.hpp"

// Views that are divided among the members otherwise than the vector is, and windows that reach
// from one piece into the next. What a member lacks is fetched when an algorithm begins: one get
// for each piece. They are only read.

namespace armature {
namespace detail {

/// Contiguous elements, and the memory that they may lie in.
template <class T>
class KeptElements : public std::ranges::view_interface<KeptElements<T>> {
 public:
  KeptElements() = default;
  explicit KeptElements(std::span<const T> elements) : elements_(elements) {}
  explicit KeptElements(std::vector<T> elements)
      : memory_(std::make_shared<const std::vector<T>>(std::move(elements))), elements_(*memory_) {}
  [[nodiscard]] const T* begin() const { return elements_.data(); }
  [[nodiscard]] const T* end() const { return elements_.data() + elements_.size(); }

 private:
  std::shared_ptr<const std::vector<T>> memory_;
  std::span<const T> elements_;
};

template <class T>
KeptElements<T> fetched(const distributed_range<const T>& range, std::size_t first,
                        std::size_t count) {
  std::vector<T> elements(count);
  if (count > 0) range.read(first, std::span<T>(elements));
  return KeptElements<T>(std::move(elements));
}

}  // namespace detail

/// All elements, divided as equally as can be.
template <class T>
class balanced_view : public detail::DividedPieces<balanced_view<T>> {
 public:
  static constexpr const char* shown = "distributed_vector";
  explicit balanced_view(const distributed_range<const T>& range) : range_(range) {}

  [[nodiscard]] const Team& team() const { return range_.team(); }
  [[nodiscard]] std::size_t size() const { return range_.size(); }
  void fence() const { range_.fence(); }
  [[nodiscard]] std::size_t begin_of(int member) const {
    // As Blocks::even: the first members have one more.
    const auto m = static_cast<std::size_t>(member);
    const auto members = static_cast<std::size_t>(team().size());
    return m * (size() / members) + std::min(m, size() % members);
  }
  static constexpr bool is_fetched = true;
  [[nodiscard]] detail::KeptElements<T> local() const {
    const std::size_t begin = this->offset(), count = this->size_of(team().rank());
    if (range_.offset() <= begin && begin + count <= range_.offset() + range_.local().size())
      return detail::KeptElements<T>(range_.local().subspan(begin - range_.offset(), count));
    return detail::fetched<T>(range_, begin, count);
  }
  [[nodiscard]] static constexpr bool is_contiguous() { return true; }

 private:
  distributed_range<const T> range_;
};

/// Element i is the window [i, i + before + after] of the range, as a std::span<const T>. It
/// belongs to the member that has element i + before, its middle. local() is a copy of the caller's
/// piece and of what its windows need beside it: so the range may be written when all have it.
template <class T>
class windows_view : public detail::DividedPieces<windows_view<T>> {
 public:
  static constexpr const char* shown = "distributed_vector";
  windows_view(const distributed_range<const T>& range, std::size_t before, std::size_t after)
      : range_(range), before_(before), after_(after) {}

  [[nodiscard]] const Team& team() const { return range_.team(); }
  [[nodiscard]] std::size_t size() const {
    const std::size_t size = range_.size();
    return size < before_ || size - before_ < after_ ? 0 : size - before_ - after_;
  }
  void fence() const { range_.fence(); }
  [[nodiscard]] std::size_t begin_of(int member) const {
    return std::clamp(range_.begin_of(member), before_, before_ + size()) - before_;
  }
  static constexpr bool is_fetched = true;
  [[nodiscard]] auto local() const {
    const std::size_t count = this->size_of(team().rank()), length = before_ + after_ + 1;
    return detail::each_of(
        count,
        [part = detail::fetched<T>(range_, this->offset(), count == 0 ? 0 : count + length - 1),
         length](std::size_t k) { return std::span<const T>(part.begin() + k, length); });
  }
  [[nodiscard]] static constexpr bool is_contiguous() { return false; }

 private:
  distributed_range<const T> range_;
  std::size_t before_, after_;
};

/// Element m is the piece of member m, as a std::span.
template <class T>
class owners_view : public detail::DividedPieces<owners_view<T>> {
 public:
  static constexpr const char* shown = "distributed_vector";
  explicit owners_view(const distributed_range<T>& range) : range_(range) {}

  [[nodiscard]] const Team& team() const { return range_.team(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(team().size()); }
  void fence() const { range_.fence(); }
  [[nodiscard]] std::size_t begin_of(int member) const { return static_cast<std::size_t>(member); }
  [[nodiscard]] auto local() const {
    return detail::each_of(1, [range = range_](std::size_t) { return range.local(); });
  }
  [[nodiscard]] static constexpr bool is_contiguous() { return false; }

 private:
  distributed_range<T> range_;
};

namespace views {

/// Divided as equally as can be, whatever the vector's own division is.
template <DistributedRange R>
[[nodiscard]] auto balanced(R&& range) {
  return balanced_view<range_value_t<R>>(range.view());
}
/// Windows of before + 1 + after elements, each one element further (for stencils).
template <DistributedRange R>
[[nodiscard]] auto windows(R&& range, std::size_t before, std::size_t after) {
  return windows_view<range_value_t<R>>(range.view(), before, after);
}
/// The pieces of the members.
template <DistributedRange R>
[[nodiscard]] auto by_owner(R&& range) {
  return owners_view<typename detail::ViewOf<std::remove_reference_t<R>>::element_type>(
      range.view());
}

}  // namespace views
}  // namespace armature
