// Random operations inside a window. Shapes are made so that the groups of the target side never
// overlap. Levels are nested in a random order, each stride at least as large as what lies inside
// it, and then some are turned around. The two sides nest the levels in different orders.

#include "generate.hpp"

#include <algorithm>
#include <numeric>

namespace property {
namespace {

std::size_t round_down(std::size_t n, std::size_t unit) { return n / unit * unit; }

/// A place for `bytes` in the window, a multiple of `unit` from its beginning.
std::size_t place(Random& random, Window window, std::size_t bytes, std::size_t unit) {
  return window.begin + between(random, 0, (window.bytes() - bytes) / unit) * unit;
}

/// Mostly small, sometimes as large as it gets.
std::size_t some_bytes(Random& random, std::size_t most, std::size_t unit) {
  const std::size_t most_units = std::max<std::size_t>(most / unit, 1);
  const std::size_t limits[] = {4, 16, 100, most_units};
  return unit * between(random, 1, std::min(most_units, limits[random() % 4]));
}

/// Strides of one side, and the offset of the first group from the lowest byte.
struct Side {
  std::vector<std::ptrdiff_t> strides;
  std::size_t first = 0;
  std::size_t extent = 0;
};

Side lay_out(Random& random, const std::vector<std::size_t>& counts, std::size_t room,
             std::size_t unit, bool may_repeat) {
  const std::size_t levels = counts.size() - 1;
  std::vector<std::size_t> order(levels);
  std::iota(order.begin(), order.end(), 1);
  std::ranges::shuffle(order, random);
  Side side{.strides = std::vector<std::ptrdiff_t>(levels), .extent = counts[0]};
  std::size_t rest = 1;
  for (std::size_t level = 1; level <= levels; ++level) rest *= counts[level];
  for (const std::size_t level : order) {
    const std::size_t slack = room / rest - side.extent;
    std::size_t stride =
        side.extent + round_down(between(random, 0, std::min(slack, 8 * unit)), unit);
    if (may_repeat && one_in(random, 10)) stride = 0;
    const std::size_t reach = (counts[level] - 1) * stride;
    const bool backwards = one_in(random, 3);
    side.strides[level - 1] = (backwards ? -1 : 1) * static_cast<std::ptrdiff_t>(stride);
    if (counts[level] == 1 && one_in(random, 2))
      side.strides[level - 1] = static_cast<std::ptrdiff_t>(random() % 1'000'000'000) - 500'000'000;
    if (backwards) side.first += reach;
    side.extent += reach;
    rest /= counts[level];
  }
  return side;
}

void make_strided(Random& random, Operation& op, Window remote, Window local, std::size_t unit) {
  const std::size_t room = std::min(remote.bytes(), local.bytes());
  op.counts = {some_bytes(random, std::min<std::size_t>(room, 2000), unit)};
  std::size_t budget = std::min<std::size_t>(room / op.counts[0], 2000);
  const std::size_t levels = one_in(random, 3) ? between(random, 0, 8) : between(random, 1, 3);
  for (std::size_t level = 0; level < levels; ++level) {
    op.counts.push_back(between(random, 1, std::min<std::size_t>(budget, levels > 3 ? 3 : 20)));
    budget /= op.counts.back();
  }
  const bool reads_local = op.kind != Kind::get;
  const Side there = lay_out(random, op.counts, remote.bytes(), unit, !reads_local);
  const Side here =
      lay_out(random, op.counts, local.bytes(), unit, reads_local && op.kind != Kind::accumulate);
  op.remote = place(random, remote, there.extent, unit) + there.first;
  op.local = place(random, local, here.extent, unit) + here.first;
  op.remote_strides = there.strides;
  op.local_strides = here.strides;
  if (one_in(random, 50)) op.counts[between(random, 0, levels)] = 0;
}

/// Different places, `bytes` apart at least.
std::vector<std::size_t> places(Random& random, Window window, std::size_t bytes, std::size_t n) {
  std::vector<std::size_t> slots(window.bytes() / bytes);
  std::iota(slots.begin(), slots.end(), 0);
  std::ranges::shuffle(slots, random);
  slots.resize(n);
  for (std::size_t& slot : slots) slot = window.begin + slot * bytes;
  return slots;
}

void make_vector(Random& random, Operation& op, Window remote, Window local, std::size_t unit) {
  const std::size_t room = std::min(remote.bytes(), local.bytes());
  op.counts = {some_bytes(random, std::min<std::size_t>(room, 400), unit)};
  const std::size_t n = between(random, 1, std::min<std::size_t>(room / op.counts[0], 40));
  op.remote_places =
      places(random, {remote.begin, std::min(remote.end, remote.begin + 4096)}, op.counts[0],
             std::min<std::size_t>(n, std::min<std::size_t>(remote.bytes(), 4096) / op.counts[0]));
  op.local_places =
      places(random, {local.begin, std::min(local.end, local.begin + 4096)}, op.counts[0],
             std::min<std::size_t>(n, std::min<std::size_t>(local.bytes(), 4096) / op.counts[0]));
  const std::size_t both = std::min(op.remote_places.size(), op.local_places.size());
  op.remote_places.resize(both);
  op.local_places.resize(both);
}

void make_value(Random& random, Operation& op, Window remote, Window local) {
  constexpr std::size_t sizes[] = {1, 2, 4, 8, 16, 24};
  op.counts = {sizes[random() % 6]};
  const std::size_t alignment = op.counts[0] <= 8 ? op.counts[0] : 1;
  op.remote = place(random, remote, op.counts[0], alignment);
  op.local = place(random, local, op.counts[0], alignment);
}

/// A put, get or accumulate whose elements are `unit` bytes.
Operation make_transfer(Random& random, Kind kind, Form form, Window remote, Window local,
                        std::size_t unit) {
  Operation op{.kind = kind, .form = form};
  op.source_seed = random();
  if (form == Form::strided) {
    make_strided(random, op, remote, local, unit);
  } else if (form == Form::vector) {
    make_vector(random, op, remote, local, unit);
  } else if (form == Form::value && kind != Kind::accumulate) {
    make_value(random, op, remote, local);
  } else {
    const bool one = form == Form::value;
    op.counts = {one ? unit : some_bytes(random, std::min(remote.bytes(), local.bytes()), unit)};
    op.remote = place(random, remote, op.counts[0], unit);
    op.local = place(random, local, op.counts[0], unit);
    if (one_in(random, 50) && !one) op.counts[0] = 0;
  }
  return op;
}

Operation make_accumulate(Random& random, Type type, Window remote, Window local) {
  Operation op = make_transfer(random, Kind::accumulate, static_cast<Form>(random() % 4), remote,
                               local, bytes_of(type));
  op.type = type;
  op.scale = one_in(random, 2) ? 1 : static_cast<int>(between(random, 0, 6)) - 3;
  return op;
}

Operation make_atomic(Random& random, Atomic atomic, std::size_t bytes, Window remote) {
  Operation op{.kind = Kind::atomic, .form = Form::value, .counts = {bytes}};
  op.atomic = atomic;
  op.operand = random();
  op.expected = one_in(random, 2) ? 0 : random();
  op.remote = place(random, remote, bytes, bytes);
  return op;
}

/// A part of the window, often small, so that operations meet.
Window narrowed(Random& random, Window window) {
  const std::size_t sizes[] = {256, 256, 4096, window.bytes()};
  const std::size_t bytes = std::min(sizes[random() % 4], window.bytes());
  const std::size_t begin = window.begin + between(random, 0, (window.bytes() - bytes) / 16) * 16;
  return {begin, begin + bytes};
}

Window part(Window window, std::size_t i, std::size_t n) {
  const std::size_t bytes = round_down(window.bytes() / n, 16);
  return {window.begin + i * bytes, window.begin + (i + 1) * bytes};
}

/// An accumulate may only meet numbers of its type: they are put first.
Step prepare(const Operation& accumulate, Random& random) {
  Operation put = accumulate;
  put.kind = Kind::put;
  put.mode = Mode::blocking;
  put.typed_source = true;
  put.source_seed = random();
  return {.operations = {put}};
}

Operation any_transfer(Random& random, Window remote, Window local) {
  const Kind kind = one_in(random, 2) ? Kind::put : Kind::get;
  return make_transfer(random, kind, static_cast<Form>(random() % 4), remote, local, 1);
}

void add_blocking(Random& random, const Job& job, Window window, std::vector<Step>& steps) {
  const int rank = static_cast<int>(random() % static_cast<std::size_t>(job.ranks));
  const Window remote = narrowed(random, window);
  const Window local = narrowed(random, {0, job.local_bytes});
  const std::size_t which = random() % 8;
  Operation op;
  if (which == 0) {
    op = make_atomic(random, static_cast<Atomic>(random() % 6), one_in(random, 2) ? 4 : 8, remote);
  } else if (which < 3) {
    op = make_accumulate(random, static_cast<Type>(random() % types), remote, local);
    op.rank = rank;
    steps.push_back(prepare(op, random));
  } else {
    op = any_transfer(random, remote, local);
  }
  op.rank = rank;
  steps.push_back({.operations = {op}});
}

/// Several at once, each in its own part of the window and of the local buffer.
void add_burst(Random& random, const Job& job, Window window, std::vector<Step>& steps) {
  const std::size_t n = between(random, 1, 4);
  const Window remote = narrowed(random, window);
  const int aggregated = static_cast<int>(random() % static_cast<std::size_t>(job.ranks));
  Step burst{.operations = {}, .fence_before = true, .way_to_wait = static_cast<int>(random() % 4)};
  for (std::size_t i = 0; i < n; ++i) {
    const Window there = part(remote, i, n);
    const Window here = part({0, job.local_bytes}, i, n);
    const bool accumulates = one_in(random, 4);
    Operation op = accumulates
                       ? make_accumulate(random, static_cast<Type>(random() % types), there, here)
                       : any_transfer(random, there, here);
    op.mode = static_cast<Mode>(between(random, 1, 3));
    const bool fits = op.form == Form::block || op.form == Form::value;
    if (op.mode == Mode::aggregate && !fits) op.mode = Mode::handle;
    op.rank = op.mode == Mode::aggregate
                  ? aggregated
                  : static_cast<int>(random() % static_cast<std::size_t>(job.ranks));
    if (accumulates && op.form >= Form::strided) op.mode = Mode::blocking;  // there is no other
    if (accumulates) steps.push_back(prepare(op, random));
    burst.operations.push_back(op);
  }
  steps.push_back(burst);
}

}  // namespace

std::vector<Step> generate_exclusive(Random& random, const Job& job, Window window) {
  std::vector<Step> steps;
  for (std::size_t n = between(random, 2, 10); n > 0; --n) {
    if (one_in(random, 4))
      add_burst(random, job, window, steps);
    else
      add_blocking(random, job, window, steps);
    steps.back().fence_before |= one_in(random, 6);
  }
  // Waiting alone does not order a step behind something non-blocking.
  for (std::size_t i = 1; i < steps.size(); ++i) {
    for (const Operation& op : steps[i - 1].operations)
      steps[i].fence_before |= op.mode != Mode::blocking;
  }
  return steps;
}

std::vector<Step> generate_commuting(Random& random, const Job& job, Window window,
                                     const Commuting& what) {
  std::vector<Step> steps;
  for (std::size_t n = between(random, 1, 12); n > 0; --n) {
    const Window remote = narrowed(random, window);
    Operation op = what.accumulates
                       ? make_accumulate(random, what.type, remote, {0, job.local_bytes})
                       : make_atomic(random, what.atomic, what.atomic_bytes, remote);
    op.rank = static_cast<int>(random() % static_cast<std::size_t>(job.ranks));
    const bool plain = what.accumulates && op.form <= Form::block;
    if (plain) op.mode = static_cast<Mode>(random() % 4);
    steps.push_back(
        {.operations = {op}, .fence_before = false, .way_to_wait = static_cast<int>(random() % 4)});
  }
  return steps;
}

}  // namespace property
