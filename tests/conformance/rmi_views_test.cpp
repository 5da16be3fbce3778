// Parameters that are views: std::span<const T> and std::string_view see the message where it lies.
#include <numeric>
#include <string>

#include "armature/locality.hpp"
#include "rmi.hpp"

using namespace conformance;
using armature::owner_of;
using armature::Rank;
using armature::shared;

namespace {

bool is_aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % 16 == 0; }

/// Looks at what it gets, where it lies.
/// In the caller's segment; from another node, where the message was brought.
bool is_in_message(const void* at, int caller) {
  return owner_of(at) == (armature::same_node(me(), caller) ? caller : me());
}

struct Looker {
  /// The sum, or -1 when the view does not lie in the memory of the caller.
  double sum(std::span<const double> values, Rank caller) {
    if (!is_in_message(values.data(), caller) || !is_aligned(values.data())) return -1;
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  std::size_t length(std::string_view text, Rank caller) {
    return is_in_message(text.data(), caller) ? text.size() : SIZE_MAX;
  }
  std::string all(char c, std::string_view a, std::span<const long> b, const std::string& d,
                  std::string_view e) {
    std::string text = c + std::string(a) + "|";
    for (const long n : b) text += std::to_string(n) + (is_aligned(b.data()) ? "," : "!");
    return text + "|" + d + "|" + std::string(e);
  }
  std::size_t nested(const std::vector<std::string_view>& words,
                     const std::optional<std::string_view>& last) {
    std::size_t bytes = last ? last->size() : 0;
    for (const auto word : words) bytes += word == "word" ? word.size() : 1000;
    return bytes;
  }
  /// The message must stay while this waits.
  std::string wait_and_read(std::string_view text, armature::shared_ref<Looker> all_lookers) {
    all_lookers.sync(right(), &Looker::length, "other", me());
    return std::string(text);
  }
  void store(std::string_view text) { stored += std::string(text); }
  std::string stored;
};

}  // namespace

RMI_TEST(RmiViews, a_view_lies_in_the_callers_message) {
  shared<Looker> looker(world());
  for (const std::size_t n : {0U, 1U, 7U, 100U, 1000U, 1022U, 1023U, 5000U, 200000U}) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 1.0);
    const double expected = static_cast<double>(n) * static_cast<double>(n + 1) / 2;
    EXPECT_EQ(looker.sync(right(), &Looker::sum, values, me()), expected) << n;
    EXPECT_EQ(looker.sync(right(), &Looker::length, std::string(n, 'x'), me()), n);
  }
}

RMI_TEST(RmiViews, views_mix_with_other_arguments) {
  shared<Looker> looker(world());
  const std::vector<long> numbers{1, 2, 3};
  EXPECT_EQ(looker.sync(right(), &Looker::all, 'c', "first", numbers, "second", "third"),
            "cfirst|1,2,3,|second|third");
  EXPECT_EQ(looker.sync(right(), &Looker::all, 'c', "", std::vector<long>(), "", ""), "c|||");
}

RMI_TEST(RmiViews, views_travel_inside_containers) {
  shared<Looker> looker(world());
  const std::vector<std::string_view> words(5, "word");
  EXPECT_EQ(looker.sync(right(), &Looker::nested, words, std::nullopt), 20U);
  EXPECT_EQ(looker.sync(right(), &Looker::nested, words, "tail"), 24U);
}

RMI_TEST(RmiViews, a_view_stays_while_its_method_waits_and_its_sender_sends_on) {
  shared<Looker> looker(world());
  const std::string text(3000, static_cast<char>('a' + me() % 26));
  auto answer = looker.ask(right(), &Looker::wait_and_read, text, looker.ref());
  for (int i = 0; i < 200; ++i) looker.async(right(), &Looker::store, std::string(1000, 'z'));
  EXPECT_EQ(answer.get(), text);
  armature::rmi_fence();
  EXPECT_EQ(looker->stored, std::string(200000, 'z'));
}

RMI_TEST(RmiViews, types_that_only_look_like_values_cannot_travel) {
  using armature::Marshallable;
  // Each holds a pointer, though its bytes could be copied.
  static_assert(!Marshallable<std::span<double>>);
  static_assert(!Marshallable<std::span<const int* const>>);
  static_assert(!Marshallable<std::reference_wrapper<int>>);
  static_assert(!Marshallable<std::vector<int>::iterator>);
  static_assert(!Marshallable<std::array<int*, 2>>);
  static_assert(!Marshallable<std::optional<int*>>);
  static_assert(!Marshallable<std::variant<int*, int>>);
  static_assert(!Marshallable<std::pair<int, int*>>);
  static_assert(!Marshallable<std::initializer_list<int>>);
  static_assert(!Marshallable<std::unique_ptr<int[]>>);
  static_assert(!Marshallable<std::shared_ptr<int>>);
  // These hold addresses that mean the same everywhere.
  static_assert(Marshallable<armature::global_ptr<int>>);
  static_assert(Marshallable<armature::remote<Looker>>);
  static_assert(Marshallable<armature::shared_ref<Looker>>);
  static_assert(Marshallable<Rank>);
}
