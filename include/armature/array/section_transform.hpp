#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/operand.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/section.hpp"

namespace armature {

namespace detail {
/// Calls f(place) for all elements of a box in the caller's own memory.
template <class F>
void for_places(const ArrayBox& box, F f, int level, std::ptrdiff_t place) {
  if (level < 0) return f(place);
  const ArrayBox::Level& here = box.level[static_cast<std::size_t>(level)];
  for (std::ptrdiff_t i = 0; i < here.count; ++i, place += here.remote_stride) {
    if (level == 0)
      f(place);
    else
      for_places(box, f, level - 1, place);
  }
}
}  // namespace detail

/// out = f(in...), element by element of sections of the same shape, planned once and run any
/// number of times. Operands may lie anywhere in arrays of any distributions:
///
///     auto inner = a[{Range(1, n - 1)}];
///     section_transform smooth(inner, [](double l, double r) { return (l + r) / 2; },
///                              a[{Range(0, n - 2)}], a[{Range(2, n)}]);
///
/// All operands are read before anything is written. A member that has the operands of its elements
/// reads them in their place. Those that are shifted no farther than the ghosts of the array are
/// exchanged with the neighbours: one message each. Others are copied, by one message to each
/// partner.
///
/// Construction, run() and destruction are collective. The arrays live as long.
template <class T, class F, class... U>
class section_transform {
 public:
  /// Throws Error(bad_argument) for sections of different shapes, and arrays of different teams.
  section_transform(const array_section<T>& out, F f, const array_section<U>&... in)
      : out_(out), f_(std::move(f)), operands_{operand(in)...} {
    const auto plan = detail::plan_section(out.store().layout(), out.section(), {});
    const auto here = out.store().layout().place(out.store().me());
    const int mine = here[0] < 0 ? -1 : out.store().layout().placement().member(here);
    for (const detail::ArrayPartner& partner : plan)
      if (partner.member == mine) boxes_ = partner.boxes;
    ((is_staged_ |= &in.store() == &out.store()), ...);
    std::size_t exchanged = 0;
    for (const auto& one : operands_)
      exchanged += one->way() == detail::ArrayOperand::Way::by_ghosts;
    is_staged_ = is_staged_ && exchanged > 0;
  }

  void run() {
    out_.store().require_use(detail::ArrayUse::put,
                             [this] { return detail::section_text(out_.section()); });
    out_.store().team().barrier();
    for (const auto& one : operands_) one->fetch();
    T* const to = reinterpret_cast<T*>(out_.store().mine());
    if (is_staged_) {
      results_.clear();
      compute([&](std::ptrdiff_t, T value) { results_.push_back(value); });
      auto result = results_.begin();
      for_own([&](std::ptrdiff_t place) { to[place] = *result++; });
    } else {
      compute([&](std::ptrdiff_t place, T value) { to[place] = value; });
    }
    out_.store().team().barrier();
  }

  /// How many messages this member causes in a run: one for each neighbour of an operand that is
  /// exchanged, and for each partner of one that is copied. Those of the node need none.
  [[nodiscard]] std::size_t messages() const {
    std::size_t messages = 0;
    for (const auto& one : operands_) messages += one->messages();
    return messages;
  }
  /// How many operands are copied in each run.
  [[nodiscard]] std::size_t copies() const {
    std::size_t copies = 0;
    for (const auto& one : operands_) copies += one->way() == detail::ArrayOperand::Way::copied;
    return copies;
  }

 private:
  template <class V>
  std::unique_ptr<detail::ArrayOperand> operand(const array_section<V>& in) const {
    return std::make_unique<detail::ArrayOperand>(out_.store(), out_.section(), in.store(),
                                                  in.section(), alignof(V));
  }
  template <class G>
  void for_own(G g) const {
    for (const detail::ArrayBox& box : boxes_)
      detail::for_places(box, g, box.levels - 1, box.remote);
  }
  template <class Write>
  void compute(Write write) {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      [&](const std::remove_const_t<U>*... from) {
        for_own([&](std::ptrdiff_t place) { write(place, f_(from[place]...)); });
      }(reinterpret_cast<const std::remove_const_t<U>*>(operands_[k]->memory())...);
    }
    (std::index_sequence_for<U...>());
  }

  array_section<T> out_;
  F f_;
  std::array<std::unique_ptr<detail::ArrayOperand>, sizeof...(U)> operands_;
  std::vector<detail::ArrayBox> boxes_;  // of the elements that the caller has
  bool is_staged_ = false;               // an operand is read in the array that is written
  std::vector<T> results_;
};

/// Collective: makes all elements of a section that value.
template <class T>
void fill(const array_section<T>& out, const std::type_identity_t<T>& value) {
  section_transform(out, [value] { return value; }).run();
}
/// Collective: out = f(in...), once.
template <class T, class F, class... U>
requires std::is_invocable_r_v<T, F&, const U&...>
void transform(const array_section<T>& out, F f, const array_section<U>&... in) {
  section_transform<T, F, U...>(out, std::move(f), in...).run();
}

}  // namespace armature
