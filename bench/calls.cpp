#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <armature/armature.hpp>

#include "bench/rows.hpp"

// Remote calls by themselves: questions, statements and fences, of two ranks and of more ranks than
// cores.

namespace armature::bench {

namespace {

/// The target of all calls.
class Callee {
 public:
  void nothing() {}
  void add(std::uint64_t value) {
    ++calls_;
    sum_ += value;
  }
  std::uint64_t take(std::vector<std::byte> bytes) { return bytes.size(); }

  void ping(shared_ref<Callee> all, int from) { all.async(from, &Callee::pong); }
  void pong() { ++pongs_; }

  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t pongs() const { return pongs_; }

 private:
  std::uint64_t calls_ = 0, sum_ = 0, pongs_ = 0;
};

/// Two ranks, of which rank 0 calls rank 1.
class Pair {
 public:
  explicit Pair(Stage& stage) : stage_(stage), callee_(stage.world()) {}
  ~Pair() {
    const std::uint64_t sent = broadcast(stage_.world(), sent_, 0);
    if (!stage_.acts() && callee_->sum() != sent)
      abort(1, "bench: wrong result of remote calls: they added " + std::to_string(callee_->sum()) +
                   " instead of " + std::to_string(sent));
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void question() {
    if (stage_.acts()) callee_.sync(1, &Callee::nothing);
  }
  void long_question(std::size_t bytes) {
    if (stage_.acts()) keep(callee_.sync(1, &Callee::take, std::vector<std::byte>(bytes)));
  }
  /// There and back by two statements.
  void two_statements() {
    if (!stage_.acts()) return;
    callee_.async(1, &Callee::ping, callee_.ref(), 0);
    rmi_wait();
  }
  /// n statements and a fence.
  void statements(std::size_t n) {
    if (stage_.acts())
      for (std::size_t i = 0; i < n; ++i) add(i);
    rmi_fence();
  }
  void empty_one_way_calls(std::size_t n) {
    if (stage_.acts())
      for (std::size_t i = 0; i < n; ++i) callee_.async(1, &Callee::nothing);
    rmi_fence();
  }
  void statement_and_question() {
    if (!stage_.acts()) return;
    add(1);
    question();
  }
  /// Makes as many of each, the statements first.
  void statements_then_questions(std::size_t n) {
    if (!stage_.acts()) return;
    for (std::size_t i = 0; i < n; ++i) add(i);
    for (std::size_t i = 0; i < n; ++i) question();
  }

  void word_and_back() {
    limits::PingPong& words = stage_.channel().ping_pongs[1];
    if (stage_.acts())
      words.ask<false>();
    else
      words.answer<false>();
  }
  void ring(std::size_t n) {
    if (stage_.acts())
      stage_.channel().ring.give(n);
    else
      keep(stage_.channel().ring.take(n));
  }

 private:
  void add(std::uint64_t value) {
    sent_ += value;
    callee_.async(1, &Callee::add, value);
  }

  Stage& stage_;
  shared<Callee> callee_;
  std::uint64_t sent_ = 0;
};

std::string where(const Stage& stage) {
  const int ranks = stage.world().size();
  if (ranks > 2) return ".p" + std::to_string(ranks);
  return same_process(0, 1) ? ".threads" : "";
}

void oneway_row(Stage& stage, Pair& pair, const std::string& name) {
  const std::size_t n = stage.effort().burst;
  stage.together(
      {name, 8, static_cast<double>(n)}, [&pair, n] { pair.statements(n); },
      [&pair, n] { pair.ring(n); });
}

void pair_rows(Stage& stage) {
  Pair pair(stage);
  const std::string tail = where(stage);
  const auto word_and_back = [&pair] { pair.word_and_back(); };
  stage.together(
      {"rpc" + tail}, [&pair] { pair.question(); }, word_and_back);
  stage.together(
      {"rpc.pingpong" + tail}, [&pair] { pair.two_statements(); }, word_and_back);
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{65536}})
    stage.together(
        {"rpc.bytes" + tail, bytes}, [&pair, bytes] { pair.long_question(bytes); }, nullptr);

  const std::size_t burst = stage.effort().burst;
  oneway_row(stage, pair, "rpc.oneway" + tail);
  stage.together(
      {"rpc.oneway" + tail, 0, static_cast<double>(burst)},
      [&pair, burst] { pair.empty_one_way_calls(burst); }, [&pair, burst] { pair.ring(burst); });

  constexpr std::size_t n = 100;
  stage.together(
      {"rpc.alternate" + tail, 8, n},
      [&pair] {
        for (std::size_t i = 0; i < n; ++i) pair.statement_and_question();
      },
      [&pair] { pair.statements_then_questions(n); });

  int sense = 0;
  limits::Barrier& barrier = stage.channel().barrier;
  stage.together(
      {"fence.p2" + tail}, [] { rmi_fence(); }, [&] { barrier.wait<false>(2, sense); });
}

/// More ranks than cores: rank 0 asks the others in turn, the rest waits.
void crowd_rows(Stage& stage) {
  shared<Callee> callee(stage.world());
  const int ranks = stage.world().size(), me = stage.world().rank();
  const std::string tail = where(stage);
  stage.together(
      {"rpc" + tail, 0, static_cast<double>(ranks - 1)},
      [&] {
        if (stage.acts())
          for (int to = 1; to < ranks; ++to) callee.sync(to, &Callee::nothing);
      },
      [&] {
        limits::PingPong* const words = stage.channel().ping_pongs;
        if (!stage.acts()) return words[me].answer<true>();
        for (int to = 1; to < ranks; ++to) words[to].ask<true>();
      });
  int sense = 0;
  limits::Barrier& barrier = stage.channel().barrier;
  stage.together(
      {"fence" + tail}, [] { rmi_fence(); }, [&] { barrier.wait<true>(ranks, sense); });
}

}  // namespace

void call_rows(Stage& stage) {
  if (stage.world().size() == 2)
    pair_rows(stage);
  else
    crowd_rows(stage);
}

void aggregation_rows(Stage& stage) {
  Pair pair(stage);
  const RmiSettings before = rmi_settings();
  RmiSettings settings = before;
  for (settings.aggregation = 1; settings.aggregation <= 2048; settings.aggregation *= 2) {
    set_rmi_settings(settings);
    oneway_row(stage, pair, "rpc.oneway.agg" + std::to_string(settings.aggregation));
  }
  set_rmi_settings(before);
}

}  // namespace armature::bench
