#include "rma/in_order.hpp"

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "races/races.hpp"
#include "races/sites.hpp"
#include "wait/rank_context.hpp"
#include "wait/request.hpp"

namespace armature::rma {
namespace {

// Each of so many rows is looked at; an operation that has more is left out.
constexpr std::size_t rows_max = 1 << 16;

races::Access access_of(const Operation& what) {
  races::Access access{.target = static_cast<int>(what.rank), .call = what.call()};
  access.kind = what.verb == Verb::get   ? races::Kind::read
                : what.verb == Verb::put ? races::Kind::write
                                         : races::Kind::atomic;
  return access;
}

std::size_t rows_of(const Operation& what) {
  std::size_t rows = what.is_list() ? 0 : 1;
  for (const Iov& pieces : what.lists) rows += pieces.to.size();
  for (std::size_t level = 0; !what.is_list() && level < what.subarray.levels; ++level)
    if (__builtin_mul_overflow(rows, what.subarray.counts[level], &rows)) return SIZE_MAX;
  return rows;
}

/// Calls row(there, here, bytes) for each piece.
template <class Row>
void each_row(const Operation& what, Row&& row) {
  const bool is_get = what.verb == Verb::get;
  if (rows_of(what) > rows_max) return;
  for (const Iov& pieces : what.lists)
    for (std::size_t i = 0; i < pieces.to.size(); ++i)
      row(is_get ? pieces.from[i] : pieces.to[i], is_get ? pieces.to[i] : pieces.from[i],
          pieces.bytes);
  if (what.is_list() || what.subarray.empty()) return;
  for_each_row(static_cast<std::byte*>(what.to), static_cast<const std::byte*>(what.from),
               what.subarray, [&](const std::byte* to, const std::byte* from) {
                 row(is_get ? from : to, is_get ? to : from, what.subarray.row_bytes);
               });
}

races::Access access_of(const Atomic& what) {
  return {.target = static_cast<int>(what.rank),
          .begin = reinterpret_cast<const void*>(what.record.address),
          .bytes = what.record.bytes,
          .kind = races::Kind::atomic,
          .call = what.call};
}

std::uint32_t look(const Operation& what, races::Access access) {
  const wait::RankContext* const me = wait::current_rank();
  std::uint32_t number = 0;
  if (me == nullptr) return number;
  const races::Site site = races::site_of_caller(access.call);
  access.site = &site;
  each_row(what, [&](const void* there, const void*, std::size_t bytes) {
    access.begin = there;
    access.bytes = bytes;
    number = races::access(me->space.me(), access);
  });
  return number;
}

std::uint64_t sum_of_source(const Operation& what) {
  std::uint64_t sum = 0;
  each_row(what, [&](const void*, const void* here, std::size_t bytes) {
    sum = base::checksum(here, bytes, sum);
  });
  return sum;
}

/// A put that the program has to wait for. It lies in the rank's own memory, as the rank may wait
/// in another process.
struct LaterPut : detail::Request {
  const std::byte* source;
  std::size_t bytes;
  std::uint64_t sum;
  std::uint32_t number;
  int rank;  // who has begun it
  bool is_changed = false;
  races::Site site;

  static LaterPut& of(detail::Request& request) { return static_cast<LaterPut&>(request); }
  static bool is_over(detail::Request& request) {
    LaterPut& put = of(request);
    if (put.source != nullptr) {
      put.is_changed = base::checksum(put.source, put.bytes) != put.sum;
      races::awaited(put.rank, put.number);
      put.source = nullptr;
    }
    return true;
  }
  static void end(detail::Request& request) {
    (void)is_over(request);
    delete &of(request);
  }
  static void refuse_changed(detail::Request& request) {
    const LaterPut& put = of(request);
    if (!put.is_changed) return;
    base::fail(Errc::misuse,
               fmt::format("{}: its source of {} bytes has changed before it was waited for; the "
                           "call was at {}",
                           put.site.call.data(), put.bytes, place_text(put.rank, put.site)));
  }
};

}  // namespace

std::uint32_t look_at(const Operation& what, bool is_later) {
  races::Access access = access_of(what);
  access.is_later = is_later && access.kind == races::Kind::write;
  return look(what, access);
}

void look_at_signalled(const Operation& what) {
  if (!races::looks()) return;
  races::Access access = access_of(what);
  access.is_complete = true;
  (void)look(what, access);
}

void look_at(const Atomic& what) {
  const wait::RankContext* const me = wait::current_rank();
  if (me == nullptr) return;
  (void)races::access(me->space.me(), access_of(what));
}

void tell_seen(const Operation& what) {
  const wait::RankContext* const me = wait::current_rank();
  if (me == nullptr) return;
  races::Access access = access_of(what);
  each_row(what, [&](const void* there, const void*, std::size_t bytes) {
    access.begin = there;
    access.bytes = bytes;
    races::has_seen(me->space.me(), access);
  });
}

void tell_seen(const Atomic& what) {
  if (const wait::RankContext* const me = wait::current_rank())
    races::has_seen(me->space.me(), access_of(what));
}

detail::Request* await_later(const Operation& what, std::uint32_t number) {
  const wait::RankContext* const me = wait::current_rank();
  if (me == nullptr || what.verb != Verb::put || !what.is_one_piece() || number == 0)
    return nullptr;
  auto* const put = new LaterPut;
  put->is_complete = &LaterPut::is_over;
  put->release = &LaterPut::end;
  put->check = &LaterPut::refuse_changed;
  put->source = static_cast<const std::byte*>(what.from);
  put->bytes = what.subarray.row_bytes;
  put->sum = sum_of_source(what);
  put->number = number;
  put->rank = me->space.me();
  put->site = races::site_of_caller(what.call());
  return put;
}

}  // namespace armature::rma
