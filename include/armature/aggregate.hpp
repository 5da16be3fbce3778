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
/// Short pieces of one size that travel together, as one list, since that costs a fraction of as
/// many requests.
struct GatheredPieces {
  static constexpr std::size_t count_max = 1024;
  static constexpr std::size_t bytes_max = 512;  // of one
  static constexpr std::size_t bytes_of_all_max = 8192;

  std::size_t count = 0;
  std::size_t bytes = 0;  // of each
  // Known of the other rank's memory, so that most pieces are noted without a call:
  std::uintptr_t known = 0;     // where it begins
  std::size_t known_last = 0;   // a piece may begin so far behind that
  std::size_t count_known = 0;  // up to so many pieces; 0: each is to be looked at
  bool are_leaving = false;     // meanwhile calls that are let in note down nothing
  void* to[count_max];
  const void* from[count_max];

  /// Whether one more is noted without a look.
  [[nodiscard]] bool takes(const void* theirs, std::size_t piece_bytes) const {
    return count < count_known && bytes == piece_bytes &&
           reinterpret_cast<std::uintptr_t>(theirs) - known <= known_last;
  }
  void note(void* piece_to, const void* piece_from) {
    to[count] = piece_to;
    from[count++] = piece_from;
  }
};

struct GatheredGets : GatheredPieces {};

/// Values are copied: they may be gone when the list leaves.
struct GatheredPuts : GatheredPieces {
  std::byte values[bytes_of_all_max];

  void note(void* piece_to, const void* value, std::size_t value_bytes) {
    std::byte* const copy = values + count * value_bytes;
    if (value_bytes == sizeof(std::uint64_t)) [[likely]]
      std::memcpy(copy, value, sizeof(std::uint64_t));
    else
      std::memcpy(copy, value, value_bytes);
    GatheredPieces::note(piece_to, copy);
  }
};

/// Whether pieces of that length of that rank are worth it: it is on another node.
[[nodiscard]] ARMATURE_API bool aggregate_gathers(Rank rank, std::size_t bytes);
/// Notes one down, and has those leave that were noted before where they are of another size or
/// enough. False: it is none that is worth it, and nothing was done.
[[nodiscard]] ARMATURE_API bool aggregate_gather(GatheredGets& gathered, Rank rank, void* to,
                                                 const void* from, std::size_t bytes);
[[nodiscard]] ARMATURE_API bool aggregate_gather(GatheredPuts& gathered, Rank rank, void* to,
                                                 const void* from, std::size_t bytes);
/// Has them leave; none is left then.
ARMATURE_API void aggregate_leave(GatheredGets& gathered, Rank rank);
ARMATURE_API void aggregate_leave(GatheredPuts& gathered, Rank rank);
/// Has those of an aggregate that ends leave, and releases them; nullptr: there are none.
ARMATURE_API void aggregate_end(GatheredGets* gets, GatheredPuts* puts, Rank rank) noexcept;
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
/// Short puts, and short gets, of one size travel to another node as put_vector and get_vector have
/// them: up to 1024 together. A put that has not left yet is not awaited by a fence.
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
        gets_(std::exchange(other.gets_, nullptr)),
        puts_(std::exchange(other.puts_, nullptr)) {}
  Aggregate& operator=(Aggregate&&) = delete;
  ~Aggregate() {
    if (gets_ != nullptr || puts_ != nullptr) [[unlikely]]
      detail::aggregate_end(gets_, puts_, rank_);
  }

  template <Transferable T>
  void put(global_ptr<T> to, const std::type_identity_t<T>& value) {
    bind(to.rank(), "Aggregate::put");
    if constexpr (sizeof(T) <= detail::SegmentView::extent_min)
      if (detail::reachable<sizeof(T)>(to.rank(), to.address())) [[likely]]
        return detail::store(to.address(), value);
    begin_list(puts_, sizeof(T));
    put_value_otherwise<T>(puts_, to, value);
  }
  template <Transferable T>
  void put(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count) {
    bind(to.rank(), "Aggregate::put");
    const std::size_t bytes = detail::bytes_of<T>(count);
    if (detail::put_fast(to.rank(), to.address(), from, bytes)) [[likely]]
      return;
    begin_list(puts_, bytes);
    put_otherwise(puts_, to, from, bytes);
  }
  template <Transferable T, detail::Buffer<T> Range>
  void put(global_ptr<T> to, const Range& from) {
    put(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)));
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
    begin_list(gets_, short_bytes<T>(count));
    get_otherwise(gets_, to, from, count);
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

  /// Notes a get, or a put, that leaves with others of its size. False: it is none such, or not
  /// known to be, and nothing was done; then get() or put() makes it. For layers whose calls are
  /// compiled code of their own.
  [[nodiscard]] bool note_get(void* to, const void* from, std::size_t bytes) {
    if (gets_ == nullptr || !gets_->takes(from, bytes)) return false;
    ++requests_;
    gets_->note(to, from);
    return true;
  }
  [[nodiscard]] bool note_put(void* to, const void* from, std::size_t bytes) {
    if (puts_ == nullptr || !puts_->takes(to, bytes)) return false;
    ++requests_;
    puts_->note(to, from, bytes);
    return true;
  }

  /// Completes all requests locally; the handle may then be used again.
  void wait() {
    std::atomic_thread_fence(std::memory_order_acquire);
    leave();
    detail::aggregate_wait(rank_);
    look();
    requests_ = 0;
  }
  /// Whether they are complete; lets the library make progress.
  [[nodiscard]] bool test() const {
    std::atomic_thread_fence(std::memory_order_acquire);
    leave();
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

  void leave() const {
    if (gets_ != nullptr) [[unlikely]]
      detail::aggregate_leave(*gets_, rank_);
    if (puts_ != nullptr) [[unlikely]]
      detail::aggregate_leave(*puts_, rank_);
  }

  /// The handle has a new list before anything is noted down: that may throw, or wait and let calls
  /// in, whose methods may use the handle.
  template <class Gathered>
  [[gnu::always_inline]] void begin_list(Gathered*& list, std::size_t bytes) {
    if (list == nullptr) [[unlikely]]
      list = new_list<Gathered>(rank_, bytes);
  }

  // Not inlined, and told nothing of the handle, which may then live in registers.

  /// Here, where the rank's own memory is: it may go on in another process.
  template <class Gathered>
  [[nodiscard, gnu::noinline]] static Gathered* new_list(Rank rank, std::size_t bytes) {
    return detail::aggregate_gathers(rank, bytes) ? new Gathered : nullptr;
  }

  /// 0: too many for a list.
  template <class T>
  [[nodiscard]] static std::size_t short_bytes(std::size_t count) {
    return count <= detail::GatheredPieces::bytes_max ? count * sizeof(T) : 0;
  }
  template <class T>
  [[gnu::noinline]] static void get_otherwise(detail::GatheredGets* gathered,
                                              std::remove_cv_t<T>* to, global_ptr<T> from,
                                              std::size_t count) {
    const std::size_t bytes = short_bytes<T>(count);
    if (gathered != nullptr && gathered->takes(from.address(), bytes))
      return gathered->note(to, from.address());
    if (gathered == nullptr ||
        !detail::aggregate_gather(*gathered, from.rank(), to, from.address(), bytes))
      armature::get_nbi(to, from, count);
  }

  [[gnu::noinline]] static void put_otherwise(detail::GatheredPuts* gathered, global_ptr<void> to,
                                              const void* from, std::size_t bytes) {
    if (gathered != nullptr && gathered->takes(to.address(), bytes))
      return gathered->note(to.address(), from, bytes);
    if (gathered == nullptr ||
        !detail::aggregate_gather(*gathered, to.rank(), to.address(), from, bytes))
      detail::make_implicit(
          to.rank(), Handle(detail::put_later(to.rank(), to.address(), from, bytes, "put_nbi")),
          "put_nbi");
  }
  /// Takes the value as it comes, so that what is reachable need not put it into memory. It is gone
  /// when this returns.
  template <class T>
  [[gnu::noinline]] static void put_value_otherwise(detail::GatheredPuts* gathered,
                                                    global_ptr<T> to, T value) {
    if (gathered != nullptr && gathered->takes(to.address(), sizeof value))
      return gathered->note(to.address(), &value, sizeof value);
    if (gathered == nullptr ||
        !detail::aggregate_gather(*gathered, to.rank(), to.address(), &value, sizeof value))
      armature::put(to, value);
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
  detail::GatheredGets* gets_ = nullptr;  // those that were not asked for yet
  detail::GatheredPuts* puts_ = nullptr;  // those that have not left yet
};

}  // namespace armature
