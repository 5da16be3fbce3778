#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/batches.hpp>

#include "bench/rows.hpp"

// Many small accesses to everybody's tables, all ranks at once: the histogram and the index gather
// of bale, and HPCC's RandomAccess. One-sided, and by remote calls that travel together; the limit
// is a loop over plain pointers. The time is that of one access of a rank while the others are at
// it too.

namespace armature::bench {

namespace {

constexpr std::size_t table_words = std::size_t{1} << 17;  // of each rank
constexpr std::uint32_t fixed_aggregation = 256;
constexpr std::size_t answers_together = 512;  // 4 KiB

struct Place {
  int rank = 0;
  std::size_t index = 0;
};

/// A table that is spread over all ranks, and what others may call on this rank's part of it.
class Table {
 public:
  explicit Table(World& world)
      : me_(world.rank()),
        slots_(static_cast<std::size_t>(world.size())),
        piece_(world.allocate<std::uint64_t>(table_words)) {
    for (int rank = 0; rank < world.size(); ++rank) plain_.push_back(piece_.on(rank).direct());
  }
  void count(std::uint32_t index) { ++piece_[index]; }
  void change(std::uint64_t value) { piece_[value % table_words] ^= value; }
  void look_up(shared_ref<Table> all, std::uint32_t index, std::uint32_t slot, int from) {
    all.async(from, &Table::found, slot, piece_[index]);
  }
  void found(std::uint32_t slot, std::uint64_t value) { answers[slot] = value; }

  /// Each of these takes a batch of elements.
  void count_all(std::span<const std::uint32_t> indices) {
    std::uint64_t* const mine = &piece_[0];
    for (const std::uint32_t index : indices) ++mine[index];
  }
  void change_all(std::span<const std::uint64_t> values) {
    std::uint64_t* const mine = &piece_[0];
    for (const std::uint64_t value : values) mine[value % table_words] ^= value;
  }
  void look_up_all(std::span<const std::uint32_t> indices, shared_ref<Table> all, int from) {
    const std::uint64_t* const mine = &piece_[0];
    to_answer_.resize(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) to_answer_[i] = mine[indices[i]];
    all.async(from, &Table::found_all, std::span<const std::uint64_t>(to_answer_), me_);
  }
  /// Answers of a rank come in the order in which it was asked.
  void found_all(std::span<const std::uint64_t> found, int from) {
    Slots& slots = slots_[static_cast<std::size_t>(from)];
    for (const std::uint64_t value : found) answers[slots.asked[slots.answered++]] = value;
    if (slots.answered != slots.asked.size()) return;
    slots.asked.clear();
    slots.answered = 0;
  }
  void will_ask(int rank, std::uint32_t slot) {
    slots_[static_cast<std::size_t>(rank)].asked.push_back(slot);
  }

  [[nodiscard]] std::uint64_t& here(std::size_t index) const { return piece_[index]; }
  [[nodiscard]] global_ptr<std::uint64_t> at(Place place) const {
    return piece_.on(place.rank) + static_cast<std::ptrdiff_t>(place.index);
  }
  [[nodiscard]] std::uint64_t* plain(Place place) const {
    return plain_[static_cast<std::size_t>(place.rank)] + place.index;
  }

  std::vector<std::uint64_t> answers;  // of the index gather

 private:
  /// Slots that wait for the answers of a rank, in the order in which it is asked.
  struct Slots {
    std::vector<std::uint32_t> asked;
    std::size_t answered = 0;
  };
  int me_;
  std::vector<Slots> slots_;
  std::vector<std::uint64_t> to_answer_;
  Piece<std::uint64_t> piece_;
  std::vector<std::uint64_t*> plain_;
};

/// HPCC's sequence of random numbers.
std::uint64_t after(std::uint64_t x) {
  return (x << 1) ^ (static_cast<std::int64_t>(x) < 0 ? std::uint64_t{7} : 0);
}

Place place_of(std::uint64_t value, int ranks) {
  return {static_cast<int>(value / table_words % static_cast<std::uint64_t>(ranks)),
          value % table_words};
}

class Elements {
 public:
  explicit Elements(Stage& stage)
      : stage_(stage), world_(stage.world()), table_(world_, world_), n_(stage.effort().burst) {
    std::uint64_t x = 1;
    // Each rank has a stretch of its own: what two changed at once by get and put would be lost
    // more often than the rules allow.
    const std::size_t before = n_ * static_cast<std::size_t>(world_.rank());
    for (std::size_t skip = 0; skip < before; ++skip) x = after(x);
    for (std::size_t i = 0; i < n_; ++i) {
      // Neighbours in the sequence differ by a shift; multiplied they do not.
      values_.push_back((x = after(x)) * 0x9e37'79b9'7f4a'7c15 >> 20);
      places_.push_back(place_of(values_.back(), world_.size()));
    }
    table_->answers.resize(n_);
  }

  /// `access(value, place, i)` for every i, and a fence of calls or a barrier.
  template <class Access>
  void all(Access&& access, bool calls) {
    for (std::size_t i = 0; i < n_; ++i) access(values_[i], places_[i], i);
    if (calls)
      rmi_fence();
    else
      world_.barrier();
  }
  /// Accesses by batches, which are sent before the fence.
  template <class Batches, class Access>
  void all_by(Batches& batches, Access&& access) {
    for (std::size_t i = 0; i < n_; ++i) access(values_[i], places_[i], i);
    batches.flush();
    rmi_fence();
  }
  template <class Batches, class Access, class Limit>
  void batch_row(const std::string& op, Batches& batches, Access access, Limit limit) {
    stage_.together(
        {op, 8, static_cast<double>(n_)}, [&] { all_by(batches, access); },
        [&] { all(limit, false); });
  }
  /// A row of it beside its limit.
  template <class Access, class Limit>
  void row(const std::string& op, Access access, Limit limit, bool calls) {
    stage_.together(
        {op, 8, static_cast<double>(n_)}, [&] { all(access, calls); }, [&] { all(limit, false); });
  }
  /// A row of calls as they come, and one of calls that travel together by a fixed number.
  template <class Access, class Limit>
  void call_rows(const std::string& op, Access access, Limit limit) {
    row(op + ".each", access, limit, true);
    const RmiSettings before = rmi_settings();
    RmiSettings settings = before;
    settings.aggregation = fixed_aggregation;
    set_rmi_settings(settings);
    row(op + ".agg" + std::to_string(fixed_aggregation), access, limit, true);
    set_rmi_settings(before);
  }

  /// How many words of this rank's table are not f(index), over all ranks.
  template <class F>
  std::size_t wrong(F&& f) {
    world_.barrier();
    std::size_t count = 0;
    for (std::size_t i = 0; i < table_words; ++i) count += table_->here(i) != f(i) ? 1U : 0U;
    return allreduce(world_, count);
  }
  void fill() {
    for (std::size_t i = 0; i < table_words; ++i) table_->here(i) = word(i);
    world_.barrier();
  }
  [[nodiscard]] std::uint64_t word(std::size_t index) const {
    return word_of({world_.rank(), index});
  }
  [[nodiscard]] static std::uint64_t word_of(Place place) {
    return static_cast<std::uint64_t>(place.rank) * table_words + place.index;
  }

  [[nodiscard]] const shared<Table>& table() const { return table_; }
  [[nodiscard]] World& world() const { return world_; }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] Place place(std::size_t i) const { return places_[i]; }

 private:
  Stage& stage_;
  World& world_;
  shared<Table> table_;
  std::size_t n_;
  std::vector<std::uint64_t> values_;
  std::vector<Place> places_;
};

void check(bool good, const std::string& what) {
  if (!good) abort(1, "bench: wrong result of " + what);
}

}  // namespace

void histogram_rows(Stage& stage) {
  if (!stage.has("histogram.add") && !stage.has("histogram.rpc")) return;
  Elements elements(stage);
  const shared<Table>& table = elements.table();
  const auto by_add = [&](std::uint64_t, Place place, std::size_t) {
    (void)fetch_add(table->at(place), 1);
  };
  const auto by_call = [&](std::uint64_t, Place place, std::size_t) {
    table.async(place.rank, &Table::count, static_cast<std::uint32_t>(place.index));
  };
  batches counts(table.ref(), &Table::count_all);
  const auto by_batch = [&](std::uint64_t, Place place, std::size_t) {
    counts.add(place.rank, static_cast<std::uint32_t>(place.index));
  };
  const auto by_hand = [&](std::uint64_t, Place place, std::size_t) {
    std::atomic_ref(*table->plain(place)).fetch_add(1, std::memory_order_relaxed);
  };
  const auto total = [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < table_words; ++i) sum += table->here(i);
    return allreduce(elements.world(), sum);
  };
  const std::uint64_t each = allreduce(elements.world(), elements.size());
  elements.all(by_add, false);
  check(total() == each, "histogram.add");
  elements.all(by_call, true);
  check(total() == 2 * each, "histogram.rpc.each");
  elements.all_by(counts, by_batch);
  check(total() == 3 * each, "histogram.rpc");
  elements.row("histogram.add", by_add, by_hand, false);
  elements.batch_row("histogram.rpc", counts, by_batch, by_hand);
  elements.call_rows("histogram.rpc", by_call, by_hand);
}

void index_gather_rows(Stage& stage) {
  if (!stage.has("index_gather.get") && !stage.has("index_gather.rpc")) return;
  Elements elements(stage);
  const shared<Table>& table = elements.table();
  const int me = stage.world().rank();
  const auto by_get = [&](std::uint64_t, Place place, std::size_t i) {
    table->answers[i] = get(table->at(place));
  };
  const auto by_call = [&](std::uint64_t, Place place, std::size_t i) {
    table.async(place.rank, &Table::look_up, table.ref(), static_cast<std::uint32_t>(place.index),
                static_cast<std::uint32_t>(i), me);
  };
  batches asked(table.ref(), &Table::look_up_all, table.ref(), me);
  asked.set_length(answers_together);
  const auto by_batch = [&](std::uint64_t, Place place, std::size_t i) {
    table->will_ask(place.rank, static_cast<std::uint32_t>(i));
    asked.add(place.rank, static_cast<std::uint32_t>(place.index));
  };
  const auto by_hand = [&](std::uint64_t, Place place, std::size_t i) {
    table->answers[i] = *table->plain(place);
  };
  elements.fill();
  const auto verify = [&](const std::string& op) {
    for (std::size_t i = 0; i < elements.size(); ++i)
      check(std::exchange(table->answers[i], 0) == Elements::word_of(elements.place(i)), op);
  };
  elements.all(by_get, false);
  verify("index_gather.get");
  elements.all(by_call, true);
  verify("index_gather.rpc.each");
  elements.all_by(asked, by_batch);
  verify("index_gather.rpc");
  elements.row("index_gather.get", by_get, by_hand, false);
  elements.batch_row("index_gather.rpc", asked, by_batch, by_hand);
  elements.call_rows("index_gather.rpc", by_call, by_hand);
}

void random_access_rows(Stage& stage) {
  if (!stage.has("gups.get_put") && !stage.has("gups.xor") && !stage.has("gups.rpc")) return;
  Elements elements(stage);
  const shared<Table>& table = elements.table();
  const auto by_get_put = [&](std::uint64_t value, Place place, std::size_t) {
    put(table->at(place), get(table->at(place)) ^ value);  // two ranks may get before either puts
  };
  const auto by_xor = [&](std::uint64_t value, Place place, std::size_t) {
    (void)fetch_xor(table->at(place), value);
  };
  const auto by_call = [&](std::uint64_t value, Place place, std::size_t) {
    table.async(place.rank, &Table::change, value);
  };
  batches changes(table.ref(), &Table::change_all);
  const auto by_batch = [&](std::uint64_t value, Place place, std::size_t) {
    changes.add(place.rank, value);
  };
  const auto by_hand = [&](std::uint64_t value, Place place, std::size_t) {
    *table->plain(place) ^= value;
    keep(*table);
  };
  // Makes the changes once more, exactly: a word that is not as before then was lost the first
  // time.
  const auto errors = [&](auto&& access, bool calls) {
    elements.fill();
    elements.all(access, calls);
    elements.all(by_xor, false);
    return elements.wrong([&](std::size_t i) { return elements.word(i); });
  };
  const std::size_t all_words = table_words * static_cast<std::size_t>(stage.world().size());
  check(errors(by_get_put, false) * 100 < all_words, "gups.get_put: more than 1 % of errors");
  check(errors(by_xor, false) == 0, "gups.xor");
  check(errors(by_call, true) == 0, "gups.rpc.each");
  elements.fill();
  elements.all_by(changes, by_batch);
  elements.all(by_xor, false);
  check(elements.wrong([&](std::size_t i) { return elements.word(i); }) == 0, "gups.rpc");
  elements.row("gups.get_put", by_get_put, by_hand, false);
  elements.row("gups.xor", by_xor, by_hand, false);
  elements.batch_row("gups.rpc", changes, by_batch, by_hand);
  elements.call_rows("gups.rpc", by_call, by_hand);
}

}  // namespace armature::bench
