#include <algorithm>
#include <array>
#include <functional>

#include "conformance.hpp"

// Every call that takes a rank and an address, times every way to get them wrong. Each must throw
// an Error that names the call and the rank, and nothing may have been moved. Wrong counts, shapes
// and lists are in bad_shape_test.cpp; wrong members, roots, tags and mutexes with what they belong
// to.

using namespace conformance;
using armature::Aggregate;
using armature::Errc;
using armature::global_ptr;
using armature::Iov;
using armature::Rank;
using armature::Strided;

namespace {

constexpr std::size_t n = 64;
constexpr std::int64_t untouched = 0x1234'5678'9abc'def0;

/// The calls move from here on this side.
std::int64_t source[2] = {7, 8};

/// The calls move to here: each rank has its own, since there may be several in the process.
std::int64_t* into() {
  static std::vector<std::array<std::int64_t, 2>> places(static_cast<std::size_t>(ranks()),
                                                         {untouched, untouched});
  return places[static_cast<std::size_t>(me())].data();
}

constexpr std::size_t one_word[] = {8};
constexpr Strided word{.counts = one_word, .to_strides = {}, .from_strides = {}};
constexpr armature::Patch patch{.row_bytes = 8, .rows = 1, .to_stride = 8, .from_stride = 8};

/// A list of one word each.
struct List {
  void* to[1];
  const void* from[1];
  Iov iov[1] = {{.to = to, .from = from, .bytes = 8}};

  List(void* target, const void* origin) : to{target}, from{origin} {}
  List(const List&) = delete;
};

struct Call {
  const char* name;                               // as the message must spell it
  std::function<void(Rank, std::int64_t*)> make;  // moves 8 bytes to or from there
  const char* name_for_rank = name;               // when it is the rank that is wrong
};

template <class F>
Call on_pointer(const char* name, F make) {
  return {name, [make](Rank r, std::int64_t* a) { make(global_ptr<std::int64_t>(r, a)); }};
}

using Word = global_ptr<std::int64_t>;

const std::vector<Call>& puts() {
  static const std::vector<Call> calls = {
      on_pointer("put", [](Word p) { armature::put(p, 7); }),
      on_pointer("put", [](Word p) { armature::put(p, source, 1); }),
      on_pointer("put", [](Word p) { armature::put(p, std::span(source, 1)); }),
      on_pointer("put_bytes", [](Word p) { armature::put_bytes(p, source, 8); }),
      on_pointer("put", [](Word p) { armature::put_async(p, 7).wait(); }),
      on_pointer("put", [](Word p) { armature::put_nbi(p, source, 1); }),
      on_pointer("put_strided", [](Word p) { armature::put_strided(p, source, word); }),
      on_pointer("put_strided",
                 [](Word p) { armature::put_strided_async(p, source, word).wait(); }),
      on_pointer("put_strided", [](Word p) { armature::put_strided_nbi(p, source, word); }),
      on_pointer("put_patch", [](Word p) { armature::put_patch(p, source, patch); }),
      {"put_vector", [](Rank r, auto* a) { armature::put_vector(r, List(a, source).iov); }},
      {"put_vector",
       [](Rank r, auto* a) { armature::put_vector_async(r, List(a, source).iov).wait(); }},
      {"put_vector", [](Rank r, auto* a) { armature::put_vector_nbi(r, List(a, source).iov); }},
      {"put", [](Rank r, auto* a) { Aggregate(r).put(Word(r, a), 7); }, "Aggregate"},
  };
  return calls;
}

const std::vector<Call>& gets() {
  static const std::vector<Call> calls = {
      on_pointer("get", [](Word p) { into()[0] = armature::get(p); }),
      on_pointer("get", [](Word p) { armature::get(into(), p, 1); }),
      on_pointer("get", [](Word p) { armature::get(std::span(into(), 1), p); }),
      on_pointer("get_bytes", [](Word p) { armature::get_bytes(into(), p, 8); }),
      on_pointer("get", [](Word p) { armature::get_async(into(), p, 1).wait(); }),
      on_pointer("get", [](Word p) { armature::get_nbi(into(), p); }),
      on_pointer("get_strided", [](Word p) { armature::get_strided(into(), p, word); }),
      on_pointer("get_strided",
                 [](Word p) { armature::get_strided_async(into(), p, word).wait(); }),
      on_pointer("get_strided", [](Word p) { armature::get_strided_nbi(into(), p, word); }),
      on_pointer("get_patch", [](Word p) { armature::get_patch(into(), p, patch); }),
      {"get_vector", [](Rank r, auto* a) { armature::get_vector(r, List(into(), a).iov); }},
      {"get_vector",
       [](Rank r, auto* a) { armature::get_vector_async(r, List(into(), a).iov).wait(); }},
      {"get_vector", [](Rank r, auto* a) { armature::get_vector_nbi(r, List(into(), a).iov); }},
      {"get", [](Rank r, auto* a) { Aggregate(r).get(into(), Word(r, a)); }, "Aggregate"},
  };
  return calls;
}

const std::vector<Call>& updates() {
  using armature::accumulate;
  static const std::vector<Call> calls = {
      on_pointer("accumulate", [](Word p) { accumulate(p, 7); }),
      on_pointer("accumulate", [](Word p) { accumulate(p, source, 1, {.scale = 3}); }),
      on_pointer("accumulate", [](Word p) { accumulate(p.cast<double>(), 1.5); }),
      on_pointer("accumulate", [](Word p) { armature::accumulate_async(p, 7).wait(); }),
      on_pointer("accumulate", [](Word p) { armature::accumulate_nbi(p, 7); }),
      on_pointer("accumulate_strided", [](Word p) { accumulate_strided(p, source, word); }),
      {"accumulate_vector",
       [](Rank r, auto* a) { armature::accumulate_vector<std::int64_t>(r, List(a, source).iov); }},
      {"accumulate", [](Rank r, auto* a) { Aggregate(r).accumulate(Word(r, a), 7); }, "Aggregate"},
      on_pointer("fetch_add", [](Word p) { armature::fetch_add(p, 7); }),
      on_pointer("fetch_and", [](Word p) { armature::fetch_and(p, 7); }),
      on_pointer("fetch_or", [](Word p) { armature::fetch_or(p, 7); }),
      on_pointer("fetch_xor", [](Word p) { armature::fetch_xor(p, 7); }),
      on_pointer("swap", [](Word p) { armature::swap(p, 7); }),
      on_pointer("compare_swap", [](Word p) { armature::compare_swap(p, untouched, 7); }),
  };
  return calls;
}

struct Target {
  const char* what;
  Rank rank;
  std::int64_t* address;
  Errc code;
};

std::int64_t* moved(std::int64_t* address, std::ptrdiff_t bytes) {
  return reinterpret_cast<std::int64_t*>(reinterpret_cast<std::uintptr_t>(address) +
                                         static_cast<std::uintptr_t>(bytes));
}

std::vector<Target> bad_targets(const armature::Piece<std::int64_t>& piece) {
  static std::int64_t in_no_segment[2] = {untouched, untouched};
  std::int64_t* const good = piece.on(right()).address();
  std::vector<Target> targets = {
      {"rank -1", -1, good, Errc::bad_rank},
      {"rank none", Rank::none(), good, Errc::bad_rank},
      {"one rank too many", ranks(), good, Errc::bad_rank},
      {"a rank far away", 1 << 30, good, Errc::bad_rank},
      {"a rank beyond 32 bits", std::int64_t{1} << 40, good, Errc::bad_rank},
      {"null", right(), nullptr, Errc::bad_address},
      {"close to null", right(), moved(nullptr, 16), Errc::bad_address},
      {"the end of the address space", right(), moved(nullptr, -8), Errc::bad_address},
      {"no segment", right(), in_no_segment, Errc::bad_address},
      {"reserved, not allocated", right(), moved(good, std::ptrdiff_t{1} << 30), Errc::bad_address},
  };
  if (ranks() > 1)
    targets.push_back({"another rank's", right(), piece.on(me()).address(), Errc::bad_address});
  if (!checks_in_full()) return targets;
  targets.push_back({"one byte before", right(), moved(good, -1), Errc::bad_address});
  targets.push_back({"one byte past", right(), moved(good, n * 8 - 7), Errc::bad_address});
  targets.push_back({"just past", right(), moved(good, n * 8), Errc::bad_address});
  return targets;
}

void expect_refusals(const std::vector<Call>& calls) {
  auto piece = world().allocate<std::int64_t>(n);
  auto freed = world().allocate<std::int64_t>(n);
  std::int64_t* const gone = freed.on(right()).address();
  std::ranges::fill(piece.local(), untouched);
  auto targets = bad_targets(piece);
  world().free(freed);
  if (checks_in_full()) targets.push_back({"freed", right(), gone, Errc::bad_address});
  world().barrier();
  for (const auto& target : targets) {
    for (const auto& call : calls) {
      SCOPED_TRACE(std::string(call.name) + ": " + target.what);
      const char* const name = target.code == Errc::bad_rank ? call.name_for_rank : call.name;
      expect_error(target.code, {name, "rank " + std::to_string(int{target.rank})},
                   [&] { call.make(target.rank, target.address); });
    }
  }
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](auto x) { return x == untouched; }));
  EXPECT_EQ(into()[0], untouched);
  world().barrier();
  world().free(piece);
}

}  // namespace

TEST(BadInput, no_put_accepts_a_bad_target) { expect_refusals(puts()); }
TEST(BadInput, no_get_accepts_a_bad_target) { expect_refusals(gets()); }
TEST(BadInput, no_update_accepts_a_bad_target) { expect_refusals(updates()); }

TEST(BadInput, every_call_accepts_a_good_target) {
  auto piece = world().allocate<std::int64_t>(n);
  for (const auto* calls : {&puts(), &gets(), &updates()}) {
    for (const auto& call : *calls) {
      SCOPED_TRACE(call.name);
      const auto error = caught([&] { call.make(right(), piece.on(right()).address() + n - 1); });
      EXPECT_FALSE(error) << error->message;
    }
  }
  into()[0] = untouched;
  world().barrier();
  EXPECT_EQ(piece[0], 0);
  world().free(piece);
}

TEST(BadInput, messages_name_the_nearest_allocation) {
  auto piece = world().allocate<std::int64_t>(n);
  const auto error =
      caught([&] { armature::put(Word(right(), moved(piece.on(right()).address(), 1 << 30)), 1); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("nearest"), std::string::npos) << error->message;
  world().barrier();
  world().free(piece);
}

TEST(BadInput, misaligned_atomics_are_refused) {
  auto piece = world().allocate<std::int64_t>(n);
  for (const std::ptrdiff_t offset : {1, 2, 4, 7}) {
    const Word at(right(), moved(piece.on(right()).address(), offset));
    const auto half = at.cast<std::int32_t>();
    expect_error(Errc::bad_address, {"fetch_add"}, [&] { armature::fetch_add(at, 1); });
    expect_error(Errc::bad_address, {"swap"}, [&] { armature::swap(at, 1); });
    expect_error(Errc::bad_address, {"compare_swap"}, [&] { armature::compare_swap(at, 0, 1); });
    if (offset % 4 != 0) {
      expect_error(Errc::bad_address, {"fetch_or"}, [&] { armature::fetch_or(half, 1); });
    }
  }
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](auto x) { return x == 0; }));
  world().barrier();
  world().free(piece);
}

TEST(BadInput, calls_that_take_a_rank_only_refuse_bad_ones) {
  for (const int rank : {-1, ranks(), 1 << 30}) {
    expect_error(Errc::bad_rank, {"fence"}, [&] { armature::fence(rank); });
    expect_error(Errc::bad_rank, {"fence"}, [&] { world().fence(rank); });
    expect_error(Errc::bad_rank, {"put_vector"}, [&] { armature::put_vector(rank, {}); });
    expect_error(Errc::bad_rank, {"get_vector"}, [&] { armature::get_vector(rank, {}); });
    expect_error(Errc::bad_rank, {"accumulate_vector"},
                 [&] { armature::accumulate_vector<int>(rank, {}); });
  }
}
