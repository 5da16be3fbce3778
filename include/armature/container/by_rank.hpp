#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/captures.hpp"
#include "armature/error.hpp"
#include "armature/left_call.hpp"
#include "armature/marshal.hpp"
#include "armature/promise.hpp"
#include "armature/rank.hpp"
#include "armature/rmi_settings.hpp"
#include "armature/shared.hpp"

// A rank uses its parts of containers without a lock: calls of others are executed where it
// communicates itself. In a job with service threads these take the calls in beside the rank. So
// they leave each call to the rank, and a two-way call is answered by a promise.

namespace armature::detail {

/// The copy of an argument that is there when its message has gone: of a view, what it shows.
template <class T>
struct Outliving {
  using type = T;
};
template <>
struct Outliving<std::string_view> {
  using type = std::string;
};
template <class T>
struct Outliving<std::span<const T>> {
  using type = std::vector<T>;
};
template <class T>
using outliving_t = typename Outliving<T>::type;
template <class T>
outliving_t<T> outliving(T& argument) {
  if constexpr (std::is_same_v<outliving_t<T>, T>)
    return std::move(argument);
  else
    return outliving_t<T>(argument.begin(), argument.end());
}

/// The calls that a part gets in a job with service threads.
template <class Part>
class ByRank {
 public:
  /// Whether the job has service threads.
  [[nodiscard]] bool has_service() const { return has_service_; }
  /// Whether calls take the usual way alone: there are none, and nothing is looked for.
  [[nodiscard]] bool is_plain() const { return !has_service_ && !checks_captures_; }
  /// Throws Error(bad_argument) where the job looks for captured addresses, and finds one.
  template <class F>
  void check_function(const F& f, const char* call) const {
    if (checks_captures_) require_no_private_capture(f, call);
  }
  /// Whether the calling thread is one.
  [[nodiscard]] bool is_used_beside() const { return has_service_ && is_service_thread(); }
  /// Throws Error(misuse) if so.
  void require_rank(const char* what) const {
    if (is_used_beside())
      throw Error(
          Errc::misuse,
          std::string(what) +
              ": called by a method that a service thread executes beside the rank, which "
              "may be using the container: make a one-way call, or call it outside methods");
  }

  template <class Op, class... Args>
  void statement(Op op, Args... args) {
    by_rank(0, [op = std::move(op),
                own = std::tuple<outliving_t<Args>...>(outliving(args)...)](Part& part) mutable {
      std::apply([&](auto&... each) { (void)op(part, std::move(each)...); }, own);
    });
  }
  template <class R, class Op, class... Args>
  void question(remote_promise<R> answer, std::uint8_t depth, Op op, Args... args) {
    by_rank(depth,
            [answer, op = std::move(op),
             own = std::tuple<outliving_t<Args>...>(outliving(args)...)](Part& part) mutable {
              const auto call = [&](auto&... each) { return op(part, std::move(each)...); };
              try {
                if constexpr (std::is_void_v<R>) {
                  std::apply(call, own);
                  answer.set();
                } else {
                  answer.set(std::apply(call, own));
                }
              } catch (const RemoteError& error) {
                answer.fail(error.code(), error.what());  // it says where it was thrown
              } catch (const Error& error) {
                answer.fail(error.code(), from_here(error.what()));
              } catch (const std::exception& error) {
                answer.fail(Errc::remote, from_here(error.what()));
              } catch (...) {
                answer.fail(Errc::remote, from_here("an exception that is no std::exception"));
              }
            });
  }
  /// The part knows by which name others call it.
  void set_id(ObjectId id) { id_ = id; }

 private:
  template <class F>
  class Left final : public LeftCall {
   public:
    Left(Part& part, F f) : part_(part), f_(std::move(f)) {}
    void run() override { f_(part_); }

   private:
    Part& part_;
    F f_;
  };
  static std::string from_here(const char* text) {
    return "rank " + std::to_string(static_cast<int>(my_rank("a call of a container"))) + ": " +
           text;
  }
  template <class F>
  void by_rank(std::uint8_t depth, F f) {
    auto& part = static_cast<Part&>(*this);
    if (must_leave())
      leave_to_rank(id_, depth, std::make_unique<Left<F>>(part, std::move(f)));
    else
      f(part);
  }

  bool has_service_ = rmi_settings().service_thread;
  bool checks_captures_ = detail::checks_captures();
  ObjectId id_;
};

template <class... Args>
inline constexpr bool outlive_message = (!looks_into_message<outliving_t<Args>, true>() && ...);
template <class... Args>
void require_that_outlive() {
  if constexpr (!outlive_message<Args...>)
    throw Error(Errc::misuse,
                "a call of a container with service threads: an argument has views of its message, "
                "which is gone when the rank executes it");
}

/// A one-way call of that rank's part, in a job with service threads: op(part, args...).
template <class Part, class Op, class... Args>
void tell_part(shared_ref<Part> parts, Rank rank, const Op& op, const Args&... args) {
  require_that_outlive<Args...>();
  if constexpr (outlive_message<Args...>)
    parts.async(rank, &ByRank<Part>::template statement<Op, Args...>, op, args...);
}
/// A split-phase call, likewise. Throws Error(misuse) on a service thread, which would keep the
/// other rank's answer from being given.
template <class Part, class Op, class... Args>
auto ask_part(shared_ref<Part> parts, Rank rank, const Op& op, const Args&... args) {
  using R = std::decay_t<std::invoke_result_t<Op&, Part&, Args...>>;
  parts.local().require_rank("a two-way call of a container");
  require_that_outlive<Args...>();
  auto made = make_promise<R>(rank);
  if constexpr (outlive_message<Args...>)
    // As a two-way call: at the limit of nesting only those are let in.
    (void)parts.ask(rank, &ByRank<Part>::template question<R, Op, Args...>, made.second,
                    static_cast<std::uint8_t>(depth_of_call() + 1), op, args...);
  return std::move(made.first);
}

}  // namespace armature::detail
