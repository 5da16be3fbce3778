// Every pair of distributions meets in a dimension of two arrays of one to five dimensions. Between
// random sections of both, elements are copied either way, computed, put and fetched, each beside a
// serial model. The cases are counted, so that none is left out by mistake.
#include "cases.hpp"

using namespace arrays;

namespace {

constexpr int sections_of_a_pair = 10;

/// Two arrays whose dimensions are in different orders: dimension d of `to` goes with dimension
/// order[d] of `from`.
template <int N>
class Pair {
 public:
  Pair(Random& random, Kind to_kind, Kind from_kind)
      : random_(random),
        order_(random_order()),
        kinds_(random_kinds_with(to_kind, from_kind)),
        to_shape_(random_shape<N>(random, longest())),
        from_shape_(random_shape<N>(random, longest())),
        to_(world(), to_shape_, random_options<N>(random, to_shape_, kinds_.first, true)),
        from_(world(), from_shape_, random_options<N>(random, from_shape_, kinds_.second, true)),
        to_model_(to_shape_),
        from_model_(from_shape_) {
    number(to_, to_model_);
    number(from_, from_model_, 1'000'000);
  }

  /// One case. Both arrays agree with their models after it, or the test fails.
  void step() {
    choose_sections();
    switch (random_(0, 3)) {
      case 0:
        to_[to_ranges_] = turned();
        for_both([](long& to, long& from) { to = from; });
        break;
      case 1:
        from_[from_ranges_].permuted(std::span<const int>(order_)) = to_[to_ranges_];
        for_both([](long& to, long& from) { from = to; });
        break;
      case 2:
        transform(
            to_[to_ranges_], [](long x, long y) { return 3 * x - y; }, to_[to_ranges_], turned());
        for_both([](long& to, long& from) { to = 3 * to - from; });
        break;
      default:
        pass_on();
    }
    expect_own(to_, to_model_);
    expect_own(from_, from_model_);
  }

 private:
  using Kinds = std::pair<std::array<Kind, N>, std::array<Kind, N>>;

  static std::ptrdiff_t longest() { return N == 1 ? 40 : N == 2 ? 12 : N == 3 ? 6 : 4; }
  std::array<int, N> random_order() {
    std::array<int, N> order;
    for (std::size_t d = 0; d < N; ++d) order[d] = static_cast<int>(d);
    for (std::size_t d = N; d-- > 1;)
      std::swap(order[d], order[static_cast<std::size_t>(random_(0, static_cast<long>(d)))]);
    return order;
  }
  Kinds random_kinds_with(Kind to, Kind from) {
    Kinds kinds{random_kinds<N>(random_), random_kinds<N>(random_)};
    const auto d = static_cast<std::size_t>(random_(0, N - 1));
    kinds.first[d] = to;
    kinds.second[static_cast<std::size_t>(order_[d])] = from;
    return kinds;
  }
  void choose_sections() {
    for (std::size_t d = 0; d < N; ++d) {
      const auto e = static_cast<std::size_t>(order_[d]);
      const std::ptrdiff_t both = std::min(to_shape_[d], from_shape_[e]);
      to_ranges_[d] = random_range(random_, both).within(both);
      if (to_ranges_[d].is_index()) to_ranges_[d] = Range::of(to_ranges_[d].first(), 1);
      from_ranges_[e] = random_partner(random_, to_ranges_[d], from_shape_[e]);
    }
  }
  auto turned() const { return from_[from_ranges_].permuted(std::span<const int>(order_)); }
  /// One member gets a section of the one array and puts it to the other.
  void pass_on() {
    to_.fence();
    if (random_(0, ranks() - 1) == me()) {
      const std::vector<long> elements = turned().get();
      to_[to_ranges_].put(elements);
    }
    to_.fence();
    for_both([](long& to, long& from) { to = from; });
  }
  template <class F>
  void for_both(F f) {
    Indices<N> counts;
    for (std::size_t d = 0; d < N; ++d) counts[d] = to_ranges_[d].count();
    for_all<N>(counts, [&](const Indices<N>& number) {
      Indices<N> i, j;
      for (std::size_t d = 0; d < N; ++d) {
        const auto e = static_cast<std::size_t>(order_[d]);
        i[d] = to_ranges_[d][number[d]];
        j[e] = from_ranges_[e][number[d]];
      }
      f(to_model_[i], from_model_[j]);
    });
  }
  static void expect_own(const armature::distributed_array<long, N>& array, Model<N>& model) {
    for_all<N>(array.local().extents(), [&](const Indices<N>& i) {
      ASSERT_EQ(array.local()[i], model[array.global(i)]) << "array '" << array.name() << "'";
    });
  }

  Random& random_;
  std::array<int, N> order_;
  Kinds kinds_;
  Indices<N> to_shape_, from_shape_;
  armature::distributed_array<long, N> to_, from_;
  Model<N> to_model_, from_model_;
  Ranges<N> to_ranges_, from_ranges_;
};

/// Returns the number of cases.
template <int N>
int all_pairs() {
  int cases = 0;
  std::uint64_t seed = 10'000 * N;
  for (const Kind to : kinds)
    for (const Kind from : kinds) {
      Random random(++seed);
      Pair<N> pair(random, to, from);
      const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(seed));
      for (int i = 0; i < conformance::often(sections_of_a_pair); ++i) {
        pair.step();
        ++cases;
      }
      world().barrier();
    }
  return cases;
}

}  // namespace

TEST(Pairs, all_distributions_and_random_sections_agree_with_the_model) {
  const int cases =
      all_pairs<1>() + all_pairs<2>() + all_pairs<3>() + all_pairs<4>() + all_pairs<5>();
  EXPECT_EQ(cases, 5 * 7 * 7 * conformance::often(sections_of_a_pair));
  if (conformance::often(sections_of_a_pair) == sections_of_a_pair) EXPECT_GE(cases, 2000);
}
