// Runs the tests on all ranks at once. GoogleTest knows nothing of ranks, so two things are added:
//
// - Only rank 0 prints the usual output; the others print failures, each with its rank.
// - A rank that fails an ASSERT leaves a test that the others are still in. After each test every
//   rank says on a board in shared memory how it went and waits until all have arrived. When only
//   some have left the test early, or a rank with a failure is stuck in the rest of its test, the
//   ranks are no longer at the same place, and the job ends with the first failure as its message.
//   The board uses plain loads and stores, so that a broken barrier is reported by its own test.

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "conformance.hpp"

namespace {

using std::chrono::steady_clock;

enum class Went : std::uint64_t { well, badly, away };

class Board {
 public:
  // Two entries take turns: who is first through a test writes the other one for the next.
  Board() : piece_(armature::world().allocate<std::uint64_t>(2)) {}

  void write(std::uint64_t test, Went went) {
    entry(conformance::me(), test).store(test * 4 + static_cast<std::uint64_t>(went));
  }
  [[nodiscard]] bool all_have_reached(std::uint64_t test) {
    for (int rank = 0; rank < conformance::ranks(); ++rank)
      if (entry(rank, test).load() / 4 != test) return false;
    return true;
  }
  [[nodiscard]] int away(std::uint64_t test) {
    int count = 0;
    for (int rank = 0; rank < conformance::ranks(); ++rank)
      count += entry(rank, test).load() % 4 == static_cast<std::uint64_t>(Went::away) ? 1 : 0;
    return count;
  }

 private:
  std::atomic_ref<std::uint64_t> entry(int rank, std::uint64_t test) {
    return std::atomic_ref<std::uint64_t>(piece_.on(rank).direct()[test % 2]);
  }
  armature::Piece<std::uint64_t> piece_;
};

class TogetherAfterEachTest : public testing::EmptyTestEventListener {
 public:
  TogetherAfterEachTest() : watch_([this](const std::stop_token& stop) { watch(stop); }) {}

 private:
  static constexpr auto patience = std::chrono::seconds(5);

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const std::scoped_lock lock(mutex_);
    if (failure_.empty()) {
      failure_ = result.message();
      failed_at_ = steady_clock::now();
    }
    if (conformance::me() == 0) return;
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", conformance::me(),
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 result.message());
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    ++test_;
    const auto& result = *info.result();
    board_.write(test_, result.HasFatalFailure() ? Went::away
                        : result.Failed()        ? Went::badly
                                                 : Went::well);
    for (int turn = 0; !board_.all_have_reached(test_); ++turn) {
      turn < 1000 ? std::this_thread::yield()
                  : std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    const int away = board_.away(test_);
    const std::scoped_lock lock(mutex_);
    if (result.HasFatalFailure() && away != conformance::ranks())
      end(std::string("the others went on without this rank in ") + info.name());
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

  Board board_;
  std::uint64_t test_ = 0;
  std::mutex mutex_;
  std::string failure_;  // the first one of this test
  steady_clock::time_point failed_at_;
  std::condition_variable_any tick_;
  std::jthread watch_;
};

}  // namespace

bool conformance::checks_in_full() {
#ifdef ARMATURE_DEBUG
  return true;
#else
  return std::getenv("CONFORMANCE_CHECKS_IN_FULL") != nullptr;
#endif
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // The ranks must shuffle alike.
  if (testing::GTEST_FLAG(random_seed) == 0) testing::GTEST_FLAG(random_seed) = 1;
  return armature::run(argc, argv, [](armature::World& world) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (world.rank() != 0) delete listeners.Release(listeners.default_result_printer());
    auto* together = new TogetherAfterEachTest;
    listeners.Append(together);
    const int result = RUN_ALL_TESTS();
    delete listeners.Release(together);
    return result;
  });
}
