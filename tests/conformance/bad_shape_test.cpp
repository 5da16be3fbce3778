#include <algorithm>

#include "conformance.hpp"

// Good ranks and addresses with counts, shapes and lists that cannot be, or that leave the memory.

using namespace conformance;
using armature::Errc;
using armature::Iov;
using armature::Strided;

namespace {

constexpr std::size_t bytes = 1024;
constexpr std::size_t beyond = std::size_t{1} << 40;
constexpr auto far = std::ptrdiff_t{1} << 40;

/// A piece at every rank that must stay zero, and a buffer here that must stay as it is.
class Bystanders {
 public:
  Bystanders() : piece_(world().allocate<std::uint8_t>(bytes)), buffer_(bytes, 0xaa) {}
  armature::global_ptr<std::uint8_t> there() const { return piece_.on(right()); }
  std::uint8_t* here() { return buffer_.data(); }
  void expect_untouched() {
    world().barrier();
    EXPECT_TRUE(std::ranges::all_of(piece_.local(), [](auto x) { return x == 0; }));
    EXPECT_TRUE(std::ranges::all_of(buffer_, [](auto x) { return x == 0xaa; }));
    world().barrier();
    world().free(piece_);
  }

 private:
  armature::Piece<std::uint8_t> piece_;
  std::vector<std::uint8_t> buffer_;
};

struct Shape {
  const char* what;
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> remote_strides;
  std::vector<std::ptrdiff_t> local_strides;
  std::vector<Errc> codes;   // any of these
  bool just_leaves = false;  // the piece, not all that is allocated: noticed by the full check only
};

const std::vector<Shape>& bad_shapes() {
  const auto argument = std::vector{Errc::bad_argument};
  const auto address = std::vector{Errc::bad_address};
  const auto either = std::vector{Errc::bad_address, Errc::bad_argument};
  static const std::vector<Shape> shapes = {
      {"no counts", {}, {}, {}, argument},
      {"nine levels", std::vector<std::size_t>(10, 1), std::vector<std::ptrdiff_t>(9, 1),
       std::vector<std::ptrdiff_t>(9, 1), argument},
      {"a remote stride too few", {8, 2, 2}, {8}, {8, 16}, argument},
      {"a local stride too few", {8, 2, 2}, {8, 16}, {8}, argument},
      {"no strides", {8, 2}, {}, {}, argument},
      {"more than there is", {bytes + 8}, {}, {}, address, true},
      {"a last group past the end", {8, 129}, {8}, {0}, address, true},
      {"a stride that leaves", {8, 2}, {far}, {8}, address},
      {"a stride that leaves backwards", {8, 2}, {-far}, {8}, address},
      {"a group before the start", {8, 2}, {-8}, {8}, address, true},
      {"levels that leave together", {8, 8, 8, 8}, {8, 64, 512}, {0, 0, 0}, address, true},
      {"counts that overflow", {beyond, beyond}, {8}, {8}, either},
      {"groups without number", {8, SIZE_MAX}, {8}, {8}, either},
      {"strides that overflow", {8, 3, 3}, {PTRDIFF_MAX, PTRDIFF_MAX}, {8, 8}, either},
      {"strides that overflow backwards", {8, 3}, {PTRDIFF_MIN}, {8}, either},
      {"a size that overflows", {SIZE_MAX - 7}, {}, {}, either},
  };
  return shapes;
}

template <class Transfer>
void expect_refused(const char* name, const Shape& shape, Transfer transfer) {
  SCOPED_TRACE(std::string(name) + ": " + shape.what);
  const auto error = caught(transfer);
  ASSERT_TRUE(error);
  EXPECT_NE(std::ranges::find(shape.codes, error->code), shape.codes.end()) << error->message;
  EXPECT_NE(error->message.find(name), std::string::npos) << error->message;
}

/// Makes it a shape of a put, whose target is remote, or of a get.
Strided put_shape(const Shape& s) {
  return {.counts = s.counts, .to_strides = s.remote_strides, .from_strides = s.local_strides};
}
Strided get_shape(const Shape& s) {
  return {.counts = s.counts, .to_strides = s.local_strides, .from_strides = s.remote_strides};
}

}  // namespace

TEST(BadShape, no_strided_call_accepts_a_bad_section) {
  Bystanders by;
  const auto words = by.there().cast<std::int64_t>();
  const std::int64_t zeros[256] = {};
  for (const auto& shape : bad_shapes()) {
    if (shape.just_leaves && !checks_in_full()) continue;
    expect_refused("put_strided", shape,
                   [&] { armature::put_strided(by.there(), zeros, put_shape(shape)); });
    expect_refused("put_strided", shape, [&] {
      armature::put_strided_async(by.there(), zeros, put_shape(shape)).wait();
    });
    expect_refused("put_strided", shape,
                   [&] { armature::put_strided_nbi(by.there(), zeros, put_shape(shape)); });
    expect_refused("get_strided", shape,
                   [&] { armature::get_strided(by.here(), by.there(), get_shape(shape)); });
    expect_refused("get_strided", shape, [&] {
      armature::get_strided_async(by.here(), by.there(), get_shape(shape)).wait();
    });
    expect_refused("get_strided", shape,
                   [&] { armature::get_strided_nbi(by.here(), by.there(), get_shape(shape)); });
    expect_refused("accumulate_strided", shape,
                   [&] { armature::accumulate_strided(words, zeros, put_shape(shape)); });
  }
  by.expect_untouched();
}

TEST(BadShape, no_patch_leaves_the_memory) {
  Bystanders by;
  const armature::Patch patches[] = {
      {.row_bytes = 8, .rows = 2, .to_stride = far, .from_stride = far},
      {.row_bytes = 8, .rows = 2, .to_stride = -far, .from_stride = -far},
      {.row_bytes = 8, .rows = SIZE_MAX, .to_stride = 8, .from_stride = 8},
      {.row_bytes = 8, .rows = 3, .to_stride = PTRDIFF_MAX, .from_stride = PTRDIFF_MAX},
      {.row_bytes = SIZE_MAX, .rows = 2, .to_stride = 8, .from_stride = 8},
      {.row_bytes = beyond, .rows = 1, .to_stride = 8, .from_stride = 8},
      // The following just leave the piece: noticed by the full check only.
      {.row_bytes = 8, .rows = 2, .to_stride = -8, .from_stride = -8},
      {.row_bytes = 8, .rows = 129, .to_stride = 8, .from_stride = 8},
      {.row_bytes = bytes + 1, .rows = 1, .to_stride = 8, .from_stride = 8},
  };
  const std::size_t always = std::size(patches) - 3;
  for (const auto& patch :
       std::span(patches).first(checks_in_full() ? std::size(patches) : always)) {
    const auto put = caught([&] { armature::put_patch(by.there(), by.here(), patch); });
    const auto get = caught([&] { armature::get_patch(by.here(), by.there(), patch); });
    ASSERT_TRUE(put && get);
    EXPECT_NE(put->message.find("put_patch"), std::string::npos) << put->message;
    EXPECT_NE(get->message.find("get_patch"), std::string::npos) << get->message;
  }
  by.expect_untouched();
}

TEST(BadShape, no_contiguous_call_accepts_an_overflowing_count) {
  Bystanders by;
  const auto words = by.there().cast<std::int64_t>();
  std::int64_t* const here = reinterpret_cast<std::int64_t*>(by.here());
  armature::Aggregate aggregate(right());
  const auto refused = [](const char* name, auto call) {
    expect_error(Errc::bad_address, {name, "rank " + std::to_string(right())}, call);
  };
  for (const std::size_t count : {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 8 + 2,
                                  SIZE_MAX / 16, beyond, std::size_t{1} << 61}) {
    SCOPED_TRACE(count);
    refused("put", [&] { armature::put(words, here, count); });
    refused("put", [&] { armature::put_async(words, here, count).wait(); });
    refused("put", [&] { armature::put_nbi(words, here, count); });
    refused("put_bytes", [&] { armature::put_bytes(words, here, count); });
    refused("get", [&] { armature::get(here, words, count); });
    refused("get", [&] { armature::get_async(here, words, count).wait(); });
    refused("get", [&] { armature::get_nbi(here, words, count); });
    refused("get_bytes", [&] { armature::get_bytes(here, words, count); });
    refused("accumulate", [&] { armature::accumulate(words, here, count); });
    refused("put", [&] { aggregate.put(words, here, count); });
    refused("get", [&] { aggregate.get(here, words, count); });
  }
  by.expect_untouched();
}

TEST(BadShape, lists_of_unequal_length_are_refused) {
  Bystanders by;
  void* remote[] = {by.there().address(), by.there().address() + 8};
  void* local[] = {by.here(), by.here() + 8};
  const void* remote_from[] = {remote[0], remote[1]};
  const void* local_from[] = {local[0], local[1]};
  const Iov put[] = {{.to = remote, .from = std::span(local_from, 1), .bytes = 8}};
  const Iov get[] = {{.to = local, .from = std::span(remote_from, 1), .bytes = 8}};
  const Iov none[] = {{.to = remote, .from = {}, .bytes = 8}};
  const auto refused = [](const char* name, auto call) {
    expect_error(Errc::bad_argument, {name}, call);
  };
  refused("put_vector", [&] { armature::put_vector(right(), put); });
  refused("put_vector", [&] { armature::put_vector_async(right(), put).wait(); });
  refused("put_vector", [&] { armature::put_vector_nbi(right(), put); });
  refused("put_vector", [&] { armature::put_vector(right(), none); });
  refused("get_vector", [&] { armature::get_vector(right(), get); });
  refused("get_vector", [&] { armature::get_vector_async(right(), get).wait(); });
  refused("get_vector", [&] { armature::get_vector_nbi(right(), get); });
  refused("accumulate_vector", [&] { armature::accumulate_vector<double>(right(), put); });
  by.expect_untouched();
}

TEST(BadShape, lists_with_one_bad_address_or_an_overflowing_size_are_refused) {
  Bystanders by;
  void* bad[] = {by.there().address(), nullptr};
  void* good[] = {by.there().address(), by.there().address() + 8};
  void* local[] = {by.here(), by.here() + 8};
  const void* bad_from[] = {bad[0], bad[1]};
  const void* good_from[] = {good[0], good[1]};
  const void* local_from[] = {local[0], local[1]};
  const Iov puts[] = {{.to = bad, .from = local_from, .bytes = 8},
                      {.to = good, .from = local_from, .bytes = SIZE_MAX - 7},
                      {.to = good, .from = local_from, .bytes = beyond}};
  const Iov gets[] = {{.to = local, .from = bad_from, .bytes = 8},
                      {.to = local, .from = good_from, .bytes = SIZE_MAX - 7},
                      {.to = local, .from = good_from, .bytes = beyond}};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const std::span put(&puts[i], 1);
    expect_error(Errc::bad_address, {"put_vector"}, [&] { armature::put_vector(right(), put); });
    expect_error(Errc::bad_address, {"get_vector"},
                 [&] { armature::get_vector(right(), std::span(&gets[i], 1)); });
    expect_error(Errc::bad_address, {"accumulate_vector"},
                 [&] { armature::accumulate_vector<double>(right(), put); });
  }
  by.expect_untouched();
}
