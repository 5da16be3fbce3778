// HPCC RandomAccess: random words of a table that is spread over all ranks are changed by
// exclusive-or; the score is the giga-updates per second (GUPS) of all ranks.
//
//   armature run -n 2 gups [--log2 22]
//
// --log2: words of all tables together, as a power of two; as in HPCC four times as many updates
// are made. They are verified by making them once more without races: what is not as it was before
// is an error. A get and a put may lose an update where two ranks meet (HPCC allows 1 %); atomic
// operations and remote calls must lose none.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <armature/armature.hpp>

namespace {

using armature::World;
using Word = std::uint64_t;

/// The sequence of HPCC: each number is the one before times x, as polynomials over the field of
/// two elements, modulo one of degree 64.
class Sequence {
 public:
  /// Begins at its n-th number: squares and multiplies.
  explicit Sequence(std::uint64_t n) {
    for (int bit = 63; bit >= 0; --bit) {
      state_ = product(state_, state_);
      if ((n >> bit & 1) != 0) (void)next();
    }
  }
  Word next() { return state_ = by_x(state_); }

 private:
  static Word by_x(Word a) { return (a << 1) ^ (a >> 63 != 0 ? Word{7} : Word{0}); }
  static Word product(Word a, Word b) {
    Word sum = 0;
    for (int bit = 63; bit >= 0; --bit) {
      sum = by_x(sum);
      if ((b >> bit & 1) != 0) sum ^= a;
    }
    return sum;
  }
  Word state_ = 1;
};

class RandomAccess {
 public:
  RandomAccess(World& world, int log2_words)
      : world_(world),
        words_(Word{1} << log2_words),
        mine_((words_ + static_cast<Word>(world.size()) - 1) / static_cast<Word>(world.size())),
        piece_(world.allocate<Word>(mine_)),
        table_(world, piece_) {}

  bool run() {
    bool good = score("get and put", 0.01, [&](Word value, int rank, Word index) {
      const auto at = piece_.on(rank) + static_cast<std::ptrdiff_t>(index);
      armature::put(at, armature::get(at) ^ value);
    });
    good = score("fetch_xor", 0, by_atomic_) && good;
    good = score("remote calls", 0,
                 [&](Word value, int rank, Word index) {
                   table_.async(rank, &Table::change, index, value);
                 }) &&
           good;
    return good;
  }

 private:
  struct Table {
    explicit Table(const armature::Piece<Word>& piece) : words(piece.local().data()) {}
    void change(Word index, Word value) { words[index] ^= value; }
    Word* words;
  };

  /// This rank's share of the updates, and everybody's are done.
  template <class Change>
  void update_all(Change&& change) {
    const Word updates = 4 * words_, ranks = static_cast<Word>(world_.size()),
               me = static_cast<Word>(world_.rank());
    const Word begin = updates / ranks * me;
    Sequence random(begin);
    for (Word n = me + 1 == ranks ? updates - begin : updates / ranks; n > 0; --n) {
      const Word value = random.next(), word = value & (words_ - 1);
      change(value, static_cast<int>(word / mine_), word % mine_);
    }
    armature::rmi_fence();
    world_.barrier();
  }

  template <class Change>
  bool score(const char* name, double errors_max, Change&& change) {
    for (Word i = 0; i < mine_; ++i) piece_[i] = i;
    world_.barrier();
    const auto start = std::chrono::steady_clock::now();
    update_all(change);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    update_all(by_atomic_);
    Word wrong = 0;
    for (Word i = 0; i < mine_; ++i) wrong += piece_[i] != i ? 1U : 0U;
    world_.barrier();
    const Word errors = allreduce(world_, wrong);
    const double part = static_cast<double>(errors) / static_cast<double>(words_);
    const bool good = part <= errors_max;
    if (world_.rank() == 0)
      std::printf("%-14s %.4f GUPS   %llu errors in %llu words: %s\n", name,
                  4 * static_cast<double>(words_) / spent.count() * 1e-9,
                  static_cast<unsigned long long>(errors), static_cast<unsigned long long>(words_),
                  good ? "verified" : "WRONG");
    return good;
  }

  struct ByAtomic {
    armature::Piece<Word>& piece;
    void operator()(Word value, int rank, Word index) const {
      (void)armature::fetch_xor(piece.on(rank) + static_cast<std::ptrdiff_t>(index), value);
    }
  };

  World& world_;
  Word words_, mine_;  // of all tables; of each
  armature::Piece<Word> piece_;
  armature::shared<Table> table_;
  ByAtomic by_atomic_{piece_};
};

}  // namespace

int main(int argc, char** argv) {
  int log2_words = 22;
  if (argc == 3 && std::string_view(argv[1]) == "--log2") log2_words = std::atoi(argv[2]);
  if ((argc != 1 && argc != 3) || log2_words < 10 || log2_words > 40) {
    std::fprintf(stderr, "usage: gups [--log2 10..40]\n");
    return 2;
  }
  return armature::run(argc, argv,
                       [&](World& world) { return RandomAccess(world, log2_words).run() ? 0 : 1; });
}
