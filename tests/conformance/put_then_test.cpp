// Puts with a call or a notification behind them, which find the bytes there.
#include <algorithm>
#include <vector>

#include "rmi.hpp"

using namespace conformance;
using armature::Handle;
using armature::Piece;
using armature::shared;

namespace put_then_tests {
namespace {

/// Lengths in a packet, longer than one, in pieces.
constexpr std::size_t lengths[] = {1, 500, 1500, 10'000, 1 << 17, 1 << 19};
constexpr std::size_t longest = 1 << 19;  // 4 MiB

/// Data that have come for this rank, as the calls see them that say so.
struct Inbox {
  void came(long number, std::size_t numbers) {
    const auto here = place.local().first(numbers);
    // The next put may come while this one is looked at.
    wrong += watch(
        [&] { return std::ranges::count_if(here, [&](long each) { return each != number; }); });
    order.push_back(number);
  }
  void also(long number) { order.push_back(number); }

  Piece<long> place;
  std::ptrdiff_t wrong = 0;
  std::vector<long> order;
};

/// Each rank puts and calls to its right.
class Boxes {
 public:
  Boxes() : place(world().allocate<long>(longest)), boxes(world(), Inbox{.place = place}) {}
  Boxes(const Boxes&) = delete;
  Boxes& operator=(const Boxes&) = delete;
  ~Boxes() {
    armature::rmi_fence();
    world().free(place);
  }
  [[nodiscard]] Handle put_then_call(const std::vector<long>& numbers) const {
    return armature::put_then(place.on(right()), numbers.data(), numbers.size(), boxes.on(right()),
                              &Inbox::came, numbers[0], numbers.size());
  }

  Piece<long> place;
  shared<Inbox> boxes;
};

TEST(PutThen, a_method_finds_the_bytes_there) {
  Boxes boxes;
  for (const std::size_t length : lengths) {
    std::vector<long> numbers(length, static_cast<long>(length) + me());
    boxes.put_then_call(numbers).wait();
    std::ranges::fill(numbers, -1);
    armature::rmi_fence();
    EXPECT_EQ(boxes.boxes->wrong, 0) << length;
    EXPECT_EQ(boxes.boxes->order, std::vector<long>{static_cast<long>(length) + left()});
    boxes.boxes->order.clear();
    armature::rmi_fence();
  }
}

TEST(PutThen, a_call_is_in_order_with_those_before_and_behind_it) {
  Boxes boxes;
  constexpr int times = 20;
  std::vector<std::vector<long>> numbers;
  for (long i = 0; i < times; ++i)
    numbers.emplace_back(lengths[static_cast<std::size_t>(i) % std::size(lengths)], 3 * i + 1);
  std::vector<Handle> puts;
  for (long i = 0; i < times; ++i) {
    boxes.boxes.async(right(), &Inbox::also, 3 * i);
    puts.push_back(boxes.put_then_call(numbers[static_cast<std::size_t>(i)]));
    boxes.boxes.async(right(), &Inbox::also, 3 * i + 2);
  }
  armature::wait_all(puts);
  armature::rmi_fence();
  std::vector<long> expected(3 * times);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<long>(i);
  EXPECT_EQ(boxes.boxes->order, expected);
}

TEST(PutThen, its_sender_may_compute_meanwhile) {
  Boxes boxes;
  const std::vector<long> numbers(longest, 7 + me());
  Handle put = boxes.put_then_call(numbers);
  world().barrier();
  armature::rmi_fence();
  EXPECT_EQ(boxes.boxes->wrong, 0);
  EXPECT_EQ(boxes.boxes->order, std::vector<long>{7 + left()});
  put.wait();
}

TEST(PutThen, a_function_finds_the_bytes_of_a_vector_there) {
  auto place = world().allocate<long>(longest);
  auto found = world().allocate<long>(2);
  for (const std::size_t length : {std::size_t{8}, longest / 8}) {
    const std::vector<long> numbers(longest, 9 + me());
    const auto pieces = longest / (2 * length);
    std::vector<void*> to;
    std::vector<const void*> from;
    for (std::size_t i = 0; i < pieces; ++i) {
      to.push_back((place.on(right()) + static_cast<std::ptrdiff_t>(2 * i * length)).address());
      from.push_back(numbers.data() + i * length);
    }
    const armature::Iov iov{.to = to, .from = from, .bytes = length * sizeof(long)};
    armature::put_vector_then(
        right(), {&iov, 1},
        [](armature::global_ptr<long> at, armature::global_ptr<long> sum, std::size_t each) {
          for (std::size_t i = 0; i < longest; ++i)
            if (i / each % 2 == 0) *sum.direct() += at.direct()[i];
          ++sum.direct()[1];
        },
        place.on(right()), found.on(right()), length)
        .wait();
    armature::rmi_fence();
    EXPECT_EQ(found[1], 1) << length;
    EXPECT_EQ(found[0], static_cast<long>(longest / 2) * (9 + left())) << length;
    found[0] = found[1] = 0;
    std::ranges::fill(place.local(), 0);
    world().barrier();
  }
  world().free(place);
  world().free(found);
}

/// Adds up what is there, and counts the calls.
void add_up(armature::global_ptr<long> at, armature::global_ptr<long> sum) {
  for (std::size_t i = 0; i < longest; ++i) *sum.direct() += at.direct()[i];
  ++sum.direct()[1];
}

TEST(AccumulateThen, a_function_finds_what_was_added) {
  auto place = world().allocate<long>(longest);
  auto found = world().allocate<long>(2);
  const std::vector<long> numbers(longest, 1 + me());
  const long of_left = 1 + left();
  const auto expect_added = [&](long elements) {
    armature::rmi_fence();
    EXPECT_EQ(found[1], 1);
    EXPECT_EQ(found[0], elements * 3 * of_left);
    found[0] = found[1] = 0;
    std::ranges::fill(place.local(), 0);
    world().barrier();
  };
  for (const std::size_t length : lengths) {
    armature::accumulate_then(place.on(right()), numbers.data(), length, {.scale = 3}, add_up,
                              place.on(right()), found.on(right()))
        .wait();
    expect_added(static_cast<long>(length));
  }
  constexpr std::size_t row = 1000, rows = 500;
  const std::size_t counts[] = {row * sizeof(long), rows};
  const std::ptrdiff_t strides[] = {(row + 24) * sizeof(long)};
  armature::accumulate_strided_then(
      place.on(right()), numbers.data(),
      {.counts = counts, .to_strides = strides, .from_strides = strides}, {.scale = 3}, add_up,
      place.on(right()), found.on(right()))
      .wait();
  expect_added(row * rows);
  void* const to[] = {place.on(right()).address(), (place.on(right()) + longest / 2).address()};
  const void* const from[] = {numbers.data(), numbers.data()};
  const armature::Iov halves{.to = to, .from = from, .bytes = longest / 4 * sizeof(long)};
  armature::accumulate_vector_then<long>(right(), {&halves, 1}, {.scale = 3}, add_up,
                                         place.on(right()), found.on(right()))
      .wait();
  expect_added(longest / 2);
  world().free(place);
  world().free(found);
}

TEST(PutThen, a_function_finds_the_bytes_of_a_section_there) {
  auto place = world().allocate<long>(longest);
  auto found = world().allocate<long>(2);
  const std::vector<long> numbers(longest, 5 + me());
  constexpr std::size_t row = 1000, rows = 500;
  const std::size_t counts[] = {row * sizeof(long), rows};
  const std::ptrdiff_t strides[] = {(row + 24) * sizeof(long)};
  const armature::Strided shape{.counts = counts, .to_strides = strides, .from_strides = strides};
  armature::put_strided_then(
      place.on(right()), numbers.data(), shape,
      [](armature::global_ptr<long> at, armature::global_ptr<long> sum) {
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t k = 0; k < row; ++k) *sum.direct() += at.direct()[i * (row + 24) + k];
        ++sum.direct()[1];
      },
      place.on(right()), found.on(right()))
      .wait();
  armature::rmi_fence();
  EXPECT_EQ(found[1], 1);
  EXPECT_EQ(found[0], static_cast<long>(row * rows) * (5 + left()));
  armature::rmi_fence();
  world().free(place);
  world().free(found);
}

TEST(PutThen, a_notification_comes_behind_the_bytes) {
  auto place = world().allocate<long>(longest);
  long number = me();
  for (const std::size_t length : lengths) {
    const std::vector<long> numbers(length, ++number);
    Handle put = armature::put_notify(place.on(right()), numbers);
    armature::wait_notify(left());
    EXPECT_EQ(std::ranges::count(place.local().first(length), number - me() + left()),
              static_cast<std::ptrdiff_t>(length));
    put.wait();
    world().barrier();
  }
  world().free(place);
}

TEST(PutThen, an_object_elsewhere_is_told_at_the_call) {
  if (ranks() < 2) return;
  Boxes boxes;
  const std::vector<long> numbers(1, 0);
  expect_error(armature::Errc::bad_rank, {"put_then", "lives on rank"}, [&] {
    (void)armature::put_then(boxes.place.on(right()), numbers.data(), 1, boxes.boxes.on(me()),
                             &Inbox::came, 0L, std::size_t{1});
  });
}

}  // namespace
}  // namespace put_then_tests
