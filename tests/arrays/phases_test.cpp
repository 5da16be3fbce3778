#include "cases.hpp"

using namespace arrays;

TEST(Phases, each_block_that_is_read_is_fetched_once) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<2>(random, 12);
    Numbered<2> a(random, shape, 7);
    armature::read_phase reads(a.array);
    for (int turn = 0; turn < 5; ++turn) {
      const auto ranges = random_ranges<2>(random, shape);
      std::vector<long> expected;
      for_section<2>(ranges, [&](const Indices<2>& i) { expected.push_back(a.model[i]); });
      std::vector<long> seen(expected.size());
      reads.get(a.array[ranges], seen);
      EXPECT_EQ(seen, expected);
    }
    for (int turn = 0; turn < 3; ++turn)
      for_all<2>(shape, [&](const Indices<2>& i) { EXPECT_EQ(reads(i[0], i[1]), a.model[i]); });
    std::size_t members = 0;  // with elements, me excepted; copies are read where they are
    for (int m = 0; m < ranks(); ++m) {
      const auto block = a.array.layout().block(m);
      members += block.counts[0] > 0 && block.counts[1] > 0 &&
                 a.array.layout().placement().is_original(m) && a.array.store().nearest(m) != me();
    }
    EXPECT_EQ(reads.fetched(), members);
    reads.end();
    // A new value is read in the next phase.
    scale(a.array, 3);
    armature::read_phase again(a.array);
    const long first = again(0, 0);
    EXPECT_EQ(first, 3 * a.model.data[0]);
    again.end();
  });
}

TEST(Phases, what_is_added_is_sent_once_to_each_member) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<2>(random, 10);
    Numbered<2> a(random, shape, 0);
    armature::accumulate_phase sums(a.array);
    for (int turn = 0; turn < 6; ++turn) {
      const auto ranges = random_ranges<2>(random, shape);
      const Indices<2> one{random(0, shape[0] - 1), random(0, shape[1] - 1)};
      std::vector<long> values;
      for_section<2>(ranges, [&](const Indices<2>& i) {
        values.push_back(i[0] + 3 * i[1]);
        a.model[i] += 2 * ranks() * values.back();
      });
      sums.add(a.array[ranges], values, 2);
      sums.add(one, turn);
      a.model[one] += ranks() * turn;
    }
    EXPECT_LE(sums.partners(), static_cast<std::size_t>(ranks()));
    sums.end();
    expect_blocks(a.array, a.model);
    a.array.fence();
  });
}

TEST(Phases, elements_are_written_once) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<2>(random, 10);
    Numbered<2> a(random, shape, 0);
    armature::write_once_phase writes(a.array);
    // Rows in turn, half of them element by element.
    for (std::ptrdiff_t i = 0; i < shape[0]; ++i) {
      std::vector<long> row;
      for (std::ptrdiff_t j = 0; j < shape[1]; ++j) {
        row.push_back(1000 * i + j);
        a.model[{i, j}] = row.back();
      }
      if (i % ranks() != me()) continue;
      if (i % 2 == 0)
        writes.put(a.array[{i, Range()}], row);
      else
        for (std::ptrdiff_t j = 0; j < shape[1]; ++j)
          writes.put({i, j}, row[static_cast<std::size_t>(j)]);
    }
    writes.end();
    expect_blocks(a.array, a.model);
    a.array.fence();
  });
}

TEST(Phases, an_element_that_is_written_twice_is_named) {
  armature::distributed_array<long, 2> a(world(), {6, 7}, {.name = "a"});
  armature::write_once_phase writes(a);
  writes.put({4, std::min(me(), 6)}, 1);  // all ranks but one write their own
  if (me() == 0) {
    writes.put({2, 5}, 1);
    writes.put({5, 0}, 1);
  }
  world().barrier();  // one after the other
  if (me() == ranks() - 1) {
    writes.put(a[{2, Range(4, 6)}], std::vector<long>{1, 2});
    writes.put({5, 0}, 1);
  }
  conformance::expect_error(armature::Errc::misuse, {"'a'", "(2, 5)", "2 times", "write-once"},
                            [&] { writes.end(); });
  a.fence();
  fill(a, 3);  // the phase has ended
  EXPECT_EQ(a(2, 5), 3);
  a.fence();
}

TEST(Phases, other_uses_are_refused_and_name_the_place) {
  using armature::Errc;
  armature::distributed_array<long, 2> a(world(), {6, 7}, {.name = "a"});
  armature::distributed_array<long, 2> b(world(), {6, 7}, {.name = "b", .ghosts = {1, 2}});
  std::vector<long> row(7), one(1);
  const std::vector<Indices<2>> at{{1, 2}};
  auto planned = a[{3, Range()}].put_schedule(std::span<const long>(row));
  const auto refused = [&](const std::vector<std::string>& words, auto call) {
    conformance::expect_error(Errc::misuse, words, call);
  };
  armature::read_phase reads(a);
  (void)a(1, 2);
  a[{1, Range()}].get(row);
  refused({"'a'", "read-only", "put", "(1, 2)"}, [&] { a(1, 2) = 3; });
  refused({"'a'", "read-only", "put", "[1, 0:7]"}, [&] { a[{1, Range()}].put(row); });
  refused({"'a'", "read-only", "put", "[3, 0:7]"}, [&] { planned.run(); });
  refused({"accumulate", "[1:5:2, 3]"}, [&] { a[{Range(1, 4, 2), 3}].accumulate(row = {1, 2}); });
  refused({"accumulate", "(1, 2)"}, [&] { a.read_increment({1, 2}); });
  refused({"put", "(1, 2)"}, [&] { scatter(a, at, one); });
  refused({"local()"}, [&] { (void)a.local(); });
  refused({"local_memory()"}, [&] { fill(a, 1); });
  refused({"another phase"}, [&] { const armature::accumulate_phase sums(a); });
  world().barrier();
  reads.end();
  refused({"'a'", "ended"}, [&] { (void)reads(0, 0); });
  armature::accumulate_phase sums(b);
  refused({"'b'", "an accumulate phase", "get", "(5, 6)"}, [&] { (void)std::as_const(b)(5, 6); });
  refused({"'b'", "get", "(5, 0)"}, [&] { (void)static_cast<long>(b(5, 0)); });
  refused({"'b'", "put", "(0, 6)"}, [&] { b(0, 6) = 1; });
  refused({"'b'", "get"}, [&] { gather(b, at, one); });
  conformance::expect_error(Errc::bad_argument, {"'a'", "'b'"},
                            [&] { sums.add(a.all(), std::vector<long>(42)); });
  conformance::expect_error(Errc::bad_argument, {"'b'", "41", "6 x 7"},
                            [&] { sums.add(b.all(), std::vector<long>(41)); });
  sums.end();
  b(0, 6) = 1;
  b.fence();
}
