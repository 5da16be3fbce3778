// Collectives that return at once, several under way, while processes are killed and ranks move.
// Each step begins some and completes them, at times with a checkpoint in between. What comes out
// of each is compared with what must come out. The kinds, lengths and roots of a run depend on
// STORM_SEED. The result is the number of steps, so that it is the same however often all went
// back.
//
//   virtual_trees STEPS EVERY      as step_program.hpp says
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives_async.hpp>
#include <armature/rmi.hpp>

#include "step_program.hpp"

namespace {

using armature::World;
using Word = std::uint64_t;
using Words = std::vector<Word>;

/// An affine map modulo 2^32: its factor and its term. Composition does not commute.
struct Compose {
  Word operator()(Word first, Word second) const {
    const auto factor = static_cast<std::uint32_t>(second >> 32);
    const auto term =
        static_cast<std::uint32_t>(first) * factor + static_cast<std::uint32_t>(second);
    return Word{static_cast<std::uint32_t>(first >> 32) * factor} << 32 | term;
  }
};

class Dice {
 public:
  explicit Dice(Word seed) : state_(seed * 0x9e37'79b9'7f4a'7c15 + 1) {}
  std::size_t below(std::size_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>(state_ % bound);
  }

 private:
  Word state_;
};

constexpr std::size_t lengths[] = {1, 2, 40, 300, 3000};
constexpr std::size_t kinds = 15;

/// One collective under way, with what must come out of it.
class Collective {
 public:
  struct Shape {
    std::size_t kind, count, call;
    int root;
    bool commutes;
  };

  Collective(World& world, const Shape& shape)
      : world_(world),
        shape_(shape),
        size_(static_cast<std::size_t>(world.size())),
        me_(static_cast<std::size_t>(world.rank())),
        root_(static_cast<std::size_t>(shape.root)) {
    if (shape.commutes)
      begin(std::plus<>());
    else
      begin(Compose());
  }
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  ~Collective() = default;

  void complete() {
    handle_.wait();
    const Words& got = out_.empty() ? in_ : out_;
    if (got != wanted_)
      armature::abort(1, "collective " + std::to_string(shape_.kind) + " of " +
                             std::to_string(shape_.count) + " words gave something else");
  }

 private:
  /// The word that a member has at a place.
  [[nodiscard]] Word word(std::size_t member, std::size_t at) const {
    return mixed(mixed(shape_.call, member), at) | Word{1} << 32;
  }
  [[nodiscard]] Words words(std::size_t member, std::size_t count, std::size_t from = 0) const {
    Words all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = word(member, from + i);
    return all;
  }
  /// Elements of member `to` from member `from`; of some nothing.
  [[nodiscard]] std::size_t length(std::size_t from, std::size_t to) const {
    return (shape_.count + 3 * from + 7 * to) % (shape_.count + 2);
  }
  [[nodiscard]] std::vector<std::size_t> lengths_from(std::size_t from) const {
    std::vector<std::size_t> all(size_);
    for (std::size_t to = 0; to < size_; ++to) all[to] = length(from, to);
    return all;
  }
  [[nodiscard]] std::vector<std::size_t> lengths_to(std::size_t to) const {
    std::vector<std::size_t> all(size_);
    for (std::size_t from = 0; from < size_; ++from) all[from] = length(from, to);
    return all;
  }
  static void append(Words& all, const Words& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
  /// The blocks of these lengths that all members have, one behind the other.
  [[nodiscard]] Words blocks(const std::vector<std::size_t>& counts) const {
    Words all;
    for (std::size_t member = 0; member < counts.size(); ++member)
      append(all, words(member, counts[member]));
    return all;
  }
  /// The elements of members from the first one to before `end`, combined.
  template <class Op>
  [[nodiscard]] Words combined(Words all, std::size_t first, std::size_t end, Op op) const {
    for (std::size_t member = first; member < end; ++member)
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = op(all[i], word(member, i));
    return all;
  }

  template <class Op>
  void begin(Op op) {
    if (shape_.kind < 6)
      begin_reduction(op);
    else if (shape_.kind < 10)
      begin_equal_blocks();
    else
      begin_blocks(op);
  }
  template <class Op>
  void begin_reduction(Op op) {
    const std::size_t count = shape_.count;
    constexpr Word before_all = Word{3} << 32 | 5;
    in_ = words(me_, count);
    wanted_ = in_;
    const Words all = combined(words(0, count), 1, size_, op);
    switch (shape_.kind) {
      case 0:
        handle_ = barrier_async(world_);
        return;
      case 1:
        wanted_ = words(root_, count);
        handle_ = broadcast_async(world_, std::span(in_), shape_.root);
        return;
      case 2:
        if (me_ == root_) wanted_ = all;
        handle_ = reduce_async(world_, std::span(in_), shape_.root, op);
        return;
      case 3:
        wanted_ = all;
        handle_ = allreduce_async(world_, std::span(in_), op);
        return;
      case 4:
        wanted_ = combined(words(0, count), 1, me_ + 1, op);
        handle_ = scan_async(world_, std::span(in_), op);
        return;
      default:
        wanted_ = combined(Words(count, before_all), 0, me_, op);
        handle_ = exclusive_scan_async(world_, std::span(in_), before_all, op);
    }
  }
  void begin_equal_blocks() {
    const std::size_t count = shape_.count;
    const std::vector<std::size_t> equal(size_, count);
    in_ = words(me_, count);
    switch (shape_.kind) {
      case 6:
        if (me_ == root_) wanted_ = blocks(equal);
        out_.resize(wanted_.size());
        if (me_ != root_) wanted_ = in_;
        handle_ = gather_async(world_, std::span<const Word>(in_), std::span(out_), shape_.root);
        return;
      case 7:
        wanted_ = blocks(equal);
        out_.resize(wanted_.size());
        handle_ = allgather_async(world_, std::span<const Word>(in_), std::span(out_));
        return;
      case 8:
        wanted_ = in_;
        out_.resize(count);
        in_ = me_ == root_ ? blocks(equal) : Words();
        handle_ = scatter_async(world_, std::span<const Word>(in_), std::span(out_), shape_.root);
        return;
      default:
        in_ = words(me_, size_ * count);
        for (std::size_t from = 0; from < size_; ++from)
          append(wanted_, words(from, count, me_ * count));
        out_.resize(wanted_.size());
        handle_ = alltoall_async(world_, std::span<const Word>(in_), std::span(out_));
    }
  }
  template <class Op>
  void begin_blocks(Op op) {
    counts_ = lengths_from(0);
    const std::size_t mine = counts_[me_];
    in_ = words(me_, mine);
    switch (shape_.kind) {
      case 10:
        if (me_ == root_) wanted_ = blocks(counts_);
        out_.resize(wanted_.size());
        if (out_.empty()) wanted_ = in_;
        handle_ = gatherv_async(world_, std::span<const Word>(in_), std::span(out_), counts_,
                                shape_.root);
        return;
      case 11:
        wanted_ = blocks(counts_);
        out_.resize(wanted_.size());
        if (out_.empty()) wanted_ = in_;
        handle_ = allgatherv_async(world_, std::span<const Word>(in_), std::span(out_), counts_);
        return;
      case 12:
        wanted_ = in_;
        out_.resize(mine);
        in_ = me_ == root_ ? blocks(counts_) : Words();
        if (out_.empty()) wanted_ = in_;
        handle_ = scatterv_async(world_, std::span<const Word>(in_), counts_, std::span(out_),
                                 shape_.root);
        return;
      case 13:
        counts_ = lengths_from(me_);
        from_ = lengths_to(me_);
        in_.clear();
        for (std::size_t to = 0; to < size_; ++to)
          append(in_, words(me_, counts_[to], to * shape_.count));
        for (std::size_t from = 0; from < size_; ++from)
          append(wanted_, words(from, from_[from], me_ * shape_.count));
        out_.resize(wanted_.size());
        if (out_.empty()) wanted_ = in_;
        handle_ =
            alltoallv_async(world_, std::span<const Word>(in_), counts_, std::span(out_), from_);
        return;
      default: {
        const std::size_t before = sum_of(counts_, me_);
        const std::size_t total = sum_of(counts_, size_);
        in_ = words(me_, total);
        const Words all = combined(words(0, total), 1, size_, op);
        wanted_.assign(all.begin() + static_cast<std::ptrdiff_t>(before),
                       all.begin() + static_cast<std::ptrdiff_t>(before + mine));
        out_.resize(mine);
        if (out_.empty()) wanted_ = in_;
        handle_ =
            reduce_scatter_async(world_, std::span<const Word>(in_), std::span(out_), counts_, op);
      }
    }
  }
  static std::size_t sum_of(const std::vector<std::size_t>& counts, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < end; ++i) sum += counts[i];
    return sum;
  }

  World& world_;
  const Shape shape_;
  const std::size_t size_, me_, root_;
  Words in_, out_, wanted_;
  std::vector<std::size_t> counts_, from_;
  armature::Handle handle_;
};

class Worker {
 public:
  Worker(World& world, const StepSettings& settings)
      : world_(world),
        settings_(settings),
        meeting_(settings),
        common_(seed()),
        own_(seed() * 1000 + static_cast<Word>(world.rank())) {}

  Word run() {
    for (int step = 0; step < settings_.steps; ++step) {
      std::vector<std::unique_ptr<Collective>> under_way;
      for (std::size_t more = 1 + common_.below(3); more > 0; --more) {
        linger();
        under_way.push_back(std::make_unique<Collective>(world_, shape()));
      }
      const bool in_between = common_.below(2) == 0;
      if (in_between) meeting_.meet(world_, step);
      linger();
      for (const auto& one : under_way) one->complete();
      if (!in_between) meeting_.meet(world_, step);
    }
    return static_cast<Word>(settings_.steps);
  }

 private:
  static Word seed() {
    const char* const text = std::getenv("STORM_SEED");
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  }
  Collective::Shape shape() {
    ++calls_;
    const std::size_t kind = common_.below(kinds);
    const std::size_t count = lengths[common_.below(std::size(lengths))];
    const auto root = static_cast<int>(common_.below(static_cast<std::size_t>(world_.size())));
    return {kind, count, calls_, root, common_.below(2) == 0};
  }
  /// Comes late.
  void linger() {
    for (std::size_t turns = own_.below(2) * own_.below(30); turns > 0; --turns)
      armature::rmi_poll();
  }

  World& world_;
  const StepSettings settings_;
  StepMeeting meeting_;
  Dice common_, own_;
  std::size_t calls_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_steps<Worker>(argc, argv); }
