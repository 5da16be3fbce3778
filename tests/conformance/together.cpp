#include "together.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>

namespace {

using conformance::me;
using conformance::ranks;
using std::chrono::steady_clock;

enum class Went : std::uint64_t { well, badly, away };

/// How the ranks of the job went through the tests, in shared memory.
class Board {
 public:
  // Two entries take turns: who is first through a test writes the other one for the next.
  // Everyone writes to everyone's board, and looks at its own: to look must not let calls in.
  Board()
      : piece_(armature::world().allocate<std::uint64_t>(static_cast<std::size_t>(2 * ranks()))) {}

  void write(std::uint64_t test, Went went) {
    for (int rank = 0; rank < ranks(); ++rank)
      armature::put(piece_.on(rank) + (2 * me() + static_cast<std::ptrdiff_t>(test % 2)),
                    test * 4 + static_cast<std::uint64_t>(went));
  }
  [[nodiscard]] bool all_have_reached(std::uint64_t test) {
    for (int rank = 0; rank < ranks(); ++rank)
      if (entry(rank, test) / 4 != test) return false;
    return true;
  }
  [[nodiscard]] bool is_away(int rank, std::uint64_t test) {
    return entry(rank, test) % 4 == static_cast<std::uint64_t>(Went::away);
  }

 private:
  std::uint64_t entry(int rank, std::uint64_t test) {
    return std::atomic_ref<std::uint64_t>(piece_[static_cast<std::size_t>(2 * rank) + test % 2])
        .load();
  }
  armature::Piece<std::uint64_t> piece_;
};

std::vector<armature::Rank> ranks_here() {
  using armature::Domain;
  return armature::domain_ranks(Domain::process, armature::domain_of(Domain::process, me()));
}

/// The ranks of this process: one has the bodies of tests, all run them.
class Crew {
 public:
  using Body = void (*)();

  /// Runs the body here and on the others; called by the rank that runs GoogleTest. Returns when
  /// all here have finished.
  void perform(Body body) {
    {
      const std::scoped_lock lock(mutex_);
      std::ranges::fill(went_, Went::well);
      body_ = body;
      ++test_;
      busy_ = ranks_here().size();
    }
    changed_.notify_all();
    run();
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return busy_ == 0; });
  }

  /// Runs bodies until dismissed; called by the others.
  void serve() {
    for (std::uint64_t done = 0;; ++done) {
      std::unique_lock lock(mutex_);
      wait(lock, [&] { return test_ != done || dismissed_; });
      if (test_ == done) return;
      lock.unlock();
      run();
    }
  }
  void dismiss() {
    const std::scoped_lock lock(mutex_);
    dismissed_ = true;
    changed_.notify_all();
  }

  /// Each rank its own, before the first test.
  void enter() {
    auto board = std::make_unique<Board>();  // collective: not under a lock
    const std::scoped_lock lock(mutex_);
    went_.resize(static_cast<std::size_t>(ranks()));
    boards_.resize(static_cast<std::size_t>(ranks()));
    boards_[static_cast<std::size_t>(me())] = std::move(board);
  }
  [[nodiscard]] Board& board() { return *boards_[static_cast<std::size_t>(me())]; }
  [[nodiscard]] std::uint64_t test() const { return test_; }

  /// Notes what the calling rank's assertions have found.
  void note(Went went) {
    const std::scoped_lock lock(mutex_);
    Went& mine = went_[static_cast<std::size_t>(me())];
    mine = std::max(mine, went);
  }

 private:
  /// The ranks of this process may all be fibers of one thread: then who waits lets them run.
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, Condition condition) {
    if (armature::rank_kind() != armature::RankKind::fiber) return changed_.wait(lock, condition);
    while (!condition()) {
      lock.unlock();
      armature::yield();
      lock.lock();
    }
  }

  void run() {
    [&] {
      try {
        body_();
      } catch (const std::exception& error) {
        FAIL() << "an exception: " << error.what();
      }
    }();
    std::unique_lock lock(mutex_);
    const Went went = went_[static_cast<std::size_t>(me())];
    const std::uint64_t test = test_;
    lock.unlock();  // others run while this is on its way to other nodes
    board().write(test, went);
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Body body_ = nullptr;
  std::uint64_t test_ = 0;  // how many have begun
  std::size_t busy_ = 0;    // ranks still in it
  bool dismissed_ = false;
  std::vector<Went> went_;                      // by rank
  std::vector<std::unique_ptr<Board>> boards_;  // by rank
};

Crew& crew() {
  static Crew the_crew;
  return the_crew;
}

class TogetherAfterEachTest : public testing::EmptyTestEventListener {
 public:
  TogetherAfterEachTest() : watch_([this](const std::stop_token& stop) { watch(stop); }) {}

 private:
  static constexpr auto patience = std::chrono::seconds(5);

  /// Called by the thread whose assertion it is; a test may have threads of its own.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const int rank = armature::initialized() ? me() : -1;
    if (rank >= 0) crew().note(result.fatally_failed() ? Went::away : Went::badly);
    const std::scoped_lock lock(mutex_);
    if (failure_.empty()) {
      failure_ = result.message();
      failed_at_ = steady_clock::now();
    }
    if (rank == 0) return;
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank,
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 result.message());
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    Board& board = crew().board();
    const std::uint64_t test = crew().test();
    for (int turn = 0; !board.all_have_reached(test); ++turn) {
      armature::yield();
      turn < 1000 ? std::this_thread::yield()
                  : std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    int away = 0, away_here = -1;
    for (int rank = 0; rank < ranks(); ++rank) {
      if (!board.is_away(rank, test)) continue;
      ++away;
      if (armature::same_process(rank, me())) away_here = rank;
    }
    const std::scoped_lock lock(mutex_);
    if (away_here >= 0 && away != ranks())
      end("the others went on without rank " + std::to_string(away_here) + " in " + info.name());
    failure_.clear();
  }

  /// A rank that has failed and does not come to the end of its test waits for others in vain.
  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      tick_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; });
      if (!failure_.empty() && steady_clock::now() - failed_at_ > patience)
        end("the others wait for this rank, or it for them");
    }
  }

  [[noreturn]] void end(const std::string& why) {
    armature::abort(1, "a test failed and " + why + ": " + failure_);
  }

  std::mutex mutex_;
  std::string failure_;  // the first one of this test
  steady_clock::time_point failed_at_;
  std::condition_variable_any tick_;
  std::jthread watch_;
};

TogetherAfterEachTest* together = nullptr;

}  // namespace

void conformance::begin_watch() { together = new TogetherAfterEachTest; }

void conformance::on_all_ranks(void (*body)()) { crew().perform(body); }

int conformance::run_tests_together() {
  crew().enter();
  world().barrier();  // before any has a test, all have entered
  if (me() != ranks_here().front()) {
    crew().serve();
    return 0;
  }
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (me() != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(together);
  int result = RUN_ALL_TESTS();
  crew().dismiss();
  // A filter that fits no test is a mistake.
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) result = 1;
  delete listeners.Release(together);
  return result;
}
