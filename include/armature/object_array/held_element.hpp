#pragma once

#include <memory>
#include <utility>

#include "armature/holder.hpp"

namespace armature::detail {

/// An element that stays where it is. Its object lives meanwhile, even if it is destroyed or the
/// array ends.
template <class Part>
class HeldElement {
 public:
  using Object = decltype(std::declval<typename Part::Record&>().object);

  HeldElement(std::weak_ptr<Part> part, typename Part::Index index, Object the_object)
      : object(std::move(the_object)), part_(std::move(part)), index_(std::move(index)) {}
  HeldElement(const HeldElement&) = delete;
  HeldElement& operator=(const HeldElement&) = delete;
  ~HeldElement() {
    if (const auto here = part_.lock()) here->let_go(index_);
  }

  Object object;

 private:
  const std::weak_ptr<Part> part_;
  const typename Part::Index index_;
};

/// The holder while something of an element runs: what that begins, and what waits then, has
/// addresses in the element. So the element moves when all of it has run.
template <class Part>
class ElementHolder final : public Holder {
 public:
  /// `record` is here, and stays.
  ElementHolder(Part& part, typename Part::Record& record, const typename Part::Index& index)
      : part_(part), record_(record), index_(index), holding_(*sender, this) {}
  ElementHolder(const ElementHolder&) = delete;
  ElementHolder& operator=(const ElementHolder&) = delete;
  ~ElementHolder() {
    // A constructor may have begun something.
    if (const auto held = held_.lock(); held != nullptr && held->object == nullptr)
      held->object = record_.object;
  }

  [[nodiscard]] std::shared_ptr<void> hold() override {
    auto held = held_.lock();
    if (held == nullptr) {
      held = std::make_shared<HeldElement<Part>>(part_.here(), index_, record_.object);
      ++record_.running;
      held_ = held;
    }
    return held;
  }

 private:
  Part& part_;
  typename Part::Record& record_;
  const typename Part::Index& index_;
  std::weak_ptr<HeldElement<Part>> held_;
  const Holding holding_;
};

}  // namespace armature::detail
