#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "armature/future.hpp"

namespace armature::detail {

/// Methods of elements that are coroutines. What one that waits has of its element is an address
/// here: so it is a call under way until it has ended, and the element stays.
template <class Part>
class ElementCoroutines {
 public:
  ElementCoroutines() = default;
  ElementCoroutines(const ElementCoroutines&) = delete;
  ElementCoroutines& operator=(const ElementCoroutines&) = delete;

  /// Returns f(args...), a call of the element of that record. If the result is a future, the
  /// element stays until it is settled. It lives until then, even if it is destroyed meanwhile.
  template <class Record, class Index, class F, class... A>
  decltype(auto) until_settled(Record& record, const Index& index, F& f, A&&... args) {
    if constexpr (is_future<std::remove_cvref_t<std::invoke_result_t<F&, A...>>>) {
      auto result = f(std::forward<A>(args)...);
      if (result.valid() && !result.is_settled()) {
        ++record.running;
        result.share()->on_settled(
            [part = std::weak_ptr<Part>(here_), index, object = record.object] {
              if (const auto here = part.lock()) is_over(*here, index);
            });
      }
      return result;
    } else {
      return f(std::forward<A>(args)...);
    }
  }

 protected:
  ~ElementCoroutines() = default;

 private:
  /// The record is here: a call was under way.
  template <class Index>
  static void is_over(Part& part, const Index& index) {
    auto& record = *part.records().find(index);
    --record.running;
    part.leave_for(index, record.goes_to);
  }

  // Tells whether the part is still there. Owns nothing.
  const std::shared_ptr<Part> here_{static_cast<Part*>(this), [](Part*) {}};
};

}  // namespace armature::detail
