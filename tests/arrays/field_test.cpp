#include "cases.hpp"

using namespace arrays;

namespace {

struct Particle {
  long number = 0;
  double mass = 0;
  std::array<float, 3> at{};
  char kind = 'a';
  friend bool operator==(const Particle&, const Particle&) = default;
};

double expected_mass(long number) { return 0.5 * static_cast<double>(number); }

template <int N>
void move_fields(Random& random) {
  const auto shape = random_shape<N>(random, N > 3 ? 3 : 7);
  armature::distributed_array<Particle, N> array(
      world(), shape, random_options<N>(random, shape, random_kinds<N>(random), true));
  Model<N> model(shape);
  for (std::size_t i = 0; i < model.data.size(); ++i) model.data[i] = static_cast<long>(i);
  const auto mine = array.local();
  for_all<N>(mine.extents(), [&](const Indices<N>& i) {
    const long number = model[array.global(i)];
    mine[i] = {number, expected_mass(number), {1, 2, static_cast<float>(number)}, 'b'};
  });
  array.fence();
  const auto ranges = random_ranges<N>(random, shape);
  const auto section = array[ranges];
  const auto count = static_cast<std::size_t>(section.size());
  // All get; one puts, what others leave alone.
  std::vector<double> masses(count);
  field(section, &Particle::mass).get(masses);
  std::vector<std::array<float, 3>> places(count);
  auto handle = field(std::as_const(array)[ranges], &Particle::at).get_async(places);
  handle.wait();
  std::size_t k = 0;
  for_section<N>(ranges, [&](const Indices<N>& i) {
    EXPECT_EQ(masses[k], expected_mass(model[i]));
    EXPECT_EQ(places[k++][2], static_cast<float>(model[i]));
  });
  array.fence();
  if (me() == 0) {
    for (double& mass : masses) mass = -mass;
    field(section, &Particle::mass).put(masses);
    field(section, &Particle::kind).put_async(std::vector<char>(count, 'c')).wait();
  }
  array.fence();
  Model<N> is_changed(shape);
  for_section<N>(ranges, [&](const Indices<N>& i) { is_changed[i] = 1; });
  for_all<N>(mine.extents(), [&](const Indices<N>& i) {
    const auto global = array.global(i);
    const long number = model[global];
    const bool changed = is_changed[global] != 0;
    const Particle expected{number,
                            changed ? -expected_mass(number) : expected_mass(number),
                            {1, 2, static_cast<float>(number)},
                            changed ? 'c' : 'b'};
    EXPECT_EQ(mine[i], expected);
  });
  array.fence();
}

}  // namespace

TEST(Field, a_member_of_each_element_moves_and_the_others_stay) {
  for_seeds(60, [](Random& random) {
    move_fields<1>(random);
    move_fields<2>(random);
    move_fields<3>(random);
    move_fields<8>(random);
  });
}

TEST(Field, another_number_of_elements_is_an_error) {
  armature::distributed_array<Particle, 2> a(world(), {3, 4}, {.name = "a"});
  std::vector<double> masses(5);
  conformance::expect_error(armature::Errc::bad_argument, {"'a'", "3 x 2", "5"}, [&] {
    field(a[{Range(), Range(0, 2)}], &Particle::mass).get(masses);
  });
}
