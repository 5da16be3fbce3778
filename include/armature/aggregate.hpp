#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "armature/accumulate.hpp"
#include "armature/detail/export.hpp"
#include "armature/get.hpp"
#include "armature/iov.hpp"
#include "armature/put.hpp"
#include "armature/rank.hpp"
#include "armature/strided.hpp"

namespace armature {

namespace detail {
/// Short gets of one size that are asked for together, as one list, since that costs a fraction of
/// as many requests.
struct GatheredGets {
  static constexpr std::size_t count_max = 256;
  static constexpr std::size_t bytes_max = 512;  // of one

  std::size_t count = 0;
  std::size_t bytes = 0;  // of each
  void* to[count_max];
  const void* from[count_max];
};

/// Whether gets of that length from that rank are worth it: it is on another node.
[[nodiscard]] ARMATURE_API bool aggregate_gathers(Rank rank, std::size_t bytes);
/// Notes one down, and asks for what was noted before where that is of another size or enough.
/// False: it is none that is worth it, and nothing was done.
[[nodiscard]] ARMATURE_API bool aggregate_gather(GatheredGets& gathered, Rank rank, void* to,
                                                 const void* from, std::size_t bytes);
/// Asks for them; none is left then.
ARMATURE_API void aggregate_ask(GatheredGets& gathered, Rank rank);
/// Asks for those of an aggregate that ends, and releases them.
ARMATURE_API void aggregate_end(GatheredGets* gathered, Rank rank) noexcept;
[[noreturn]] ARMATURE_API void aggregate_other_rank(Rank bound, Rank given, const char* call);
ARMATURE_API void aggregate_check(Rank rank);
ARMATURE_API void aggregate_wait(Rank rank);
[[nodiscard]] ARMATURE_API bool aggregate_test(Rank rank);
}  // namespace detail

/// The aggregate handle (armci-rma-2006, 4.2): many small requests to one rank, of any kind and
/// size, that travel together and complete, locally, with one wait. Sources must stay unchanged and
/// targets of gets are not valid before wait(). Requests are not ordered. Throws Error(bad_rank)
/// when a request names another rank than the handle's.
///
/// Short gets of one size from another node are asked for as get_vector asks: up to 256 together.
///
/// Between ranks of one node nothing travels: a request is a load or a store as soon as it is made.
/// Recording it first would cost more.
class Aggregate {
 public:
  explicit Aggregate(Rank rank) : rank_(rank) {
    detail::aggregate_check(rank);
    look();
  }
  Aggregate(const Aggregate&) = delete;
  Aggregate& operator=(const Aggregate&) = delete;
  Aggregate(Aggregate&& other) noexcept
      : rank_(other.rank_),
        requests_(std::exchange(other.requests_, 0)),
        segment_(other.segment_),
        last_(other.last_),
        gathered_(std::exchange(other.gathered_, nullptr)) {}
  Aggregate& operator=(Aggregate&&) = delete;
  ~Aggregate() {
    if (gathered_ != nullptr) [[unlikely]]
      detail::aggregate_end(gathered_, rank_);
  }

  template <class T, class... Source>
  void put(global_ptr<T> to, const Source&... from) {
    bind(to.rank(), "Aggregate::put");
    armature::put_nbi(to, from...);
  }
  template <class T>
  void get(std::remove_cv_t<T>* to, global_ptr<T> from, std::size_t count = 1) {
    bind(from.rank(), "Aggregate::get");
    if constexpr (detail::moves_as_one<T>)
      if (count == 1 && reaches(from.address())) [[likely]] {
        // Relaxed: what is read is read for good at wait(), which orders it before what follows.
        using Word [[gnu::may_alias]] = detail::Word<sizeof(T)>;
        const Word word =
            __atomic_load_n(reinterpret_cast<const Word*>(from.address()), __ATOMIC_RELAXED);
        std::remove_cv_t<T> value;
        std::memcpy(&value, &word, sizeof value);
        *to = value;
        return;
      }
    gathered_ = get_otherwise(gathered_, to, from, count);
    look();
  }
  template <class T, class... Source>
  void accumulate(global_ptr<T> to, const Source&... from) {
    bind(to.rank(), "Aggregate::accumulate");
    armature::accumulate_nbi(to, from...);
  }

  void put_strided(global_ptr<void> to, const void* from, const Strided& shape) {
    bind(to.rank(), "Aggregate::put_strided");
    armature::put_strided_nbi(to, from, shape);
  }
  void get_strided(void* to, global_ptr<const void> from, const Strided& shape) {
    bind(from.rank(), "Aggregate::get_strided");
    armature::get_strided_nbi(to, from, shape);
  }
  template <Accumulable T>
  void accumulate_strided(global_ptr<T> to, const std::type_identity_t<T>* from,
                          const Strided& shape,
                          AccumulateOptions<std::type_identity_t<T>> options = {}) {
    bind(to.rank(), "Aggregate::accumulate_strided");
    armature::accumulate_strided_nbi(to, from, shape, options);
  }
  void put_vector(std::span<const Iov> iov) {
    ++requests_;
    armature::put_vector_nbi(rank_, iov);
  }
  void get_vector(std::span<const Iov> iov) {
    ++requests_;
    armature::get_vector_nbi(rank_, iov);
  }
  template <Accumulable T>
  void accumulate_vector(std::span<const Iov> iov,
                         AccumulateOptions<std::type_identity_t<T>> options = {}) {
    ++requests_;
    armature::accumulate_vector<T>(rank_, iov, options);
  }

  /// Completes all requests locally; the handle may then be used again.
  void wait() {
    std::atomic_thread_fence(std::memory_order_acquire);
    if (gathered_ != nullptr) [[unlikely]]
      detail::aggregate_ask(*gathered_, rank_);
    detail::aggregate_wait(rank_);
    look();
    requests_ = 0;
  }
  /// Whether they are complete; lets the library make progress.
  [[nodiscard]] bool test() const {
    std::atomic_thread_fence(std::memory_order_acquire);
    if (gathered_ != nullptr) [[unlikely]]
      detail::aggregate_ask(*gathered_, rank_);
    return detail::aggregate_test(rank_);
  }

  [[nodiscard]] Rank rank() const { return rank_; }
  /// Requests made since the last wait.
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  void bind(Rank rank, const char* call) {
    if (rank != rank_) [[unlikely]]
      detail::aggregate_other_rank(rank_, rank, call);
    ++requests_;
  }

  /// Not inlined, and told nothing of the handle, which may then live in registers.
  template <class T>
  [[nodiscard, gnu::noinline]] static detail::GatheredGets* get_otherwise(
      detail::GatheredGets* gathered, std::remove_cv_t<T>* to, global_ptr<T> from,
      std::size_t count) {
    const bool is_short = count <= detail::GatheredGets::bytes_max;
    const std::size_t bytes = is_short ? count * sizeof(T) : 0;
    // Here, where the rank's own memory is: it may go on in another process.
    if (gathered == nullptr && detail::aggregate_gathers(from.rank(), bytes))
      gathered = new detail::GatheredGets;
    if (gathered == nullptr ||
        !detail::aggregate_gather(*gathered, from.rank(), to, from.address(), bytes))
      armature::get_nbi(to, from, count);
    return gathered;
  }

  /// Notes how far the rank's segment is reachable now. A segment's extent only grows, so an older
  /// extent stays good. Each request looks at where the segment begins, since the rank may have
  /// gone to another node.
  void look() {
    static constexpr detail::SegmentView nothing;
    const detail::View& view = detail::view;
    const auto number = static_cast<std::uint32_t>(static_cast<int>(rank_));
    segment_ = number < view.ranks ? &view.segments[number] : &nothing;
    // A table that is the process's own, in which nothing is reachable, is not where the handle is
    // used when its rank goes on in another process.
    if (segment_->begin == detail::SegmentView::unreachable) segment_ = &nothing;
    last_ = detail::extent_of(*segment_) - word_max;
  }
  /// Whether at most word_max bytes there are reachable. One comparison covers both ends; a value
  /// just before the end may be refused, and then goes the longer way.
  [[nodiscard]] bool reaches(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - segment_->begin <= last_;
  }

  static constexpr std::size_t word_max = 8;
  Rank rank_;
  std::size_t requests_ = 0;
  const detail::SegmentView* segment_ = nullptr;
  std::size_t last_ = 0;
  detail::GatheredGets* gathered_ = nullptr;  // those that were not asked for yet
};

}  // namespace armature
