#include "rma/remote_lock.hpp"

#include <gtest/gtest.h>

#include "armature/accumulate.hpp"
#include "armature/error.hpp"
#include "harness/two_nodes.hpp"
#include "rma/pending_requests.hpp"
#include "rma/remote_records.hpp"

namespace armature::rma {
namespace {

using harness::Peer;
using harness::TwoNodes;
using wait::lock_token;
using wait::LockWord;

/// Rank 0 owns a mutex, which ranks of the other node want.
class OwnerTest : public testing::Test {
 protected:
  OwnerTest() {
    space::AddressSpace::Failure failure;
    word_ = static_cast<LockWord*>(
        net_.space().allocate(sizeof(LockWord), 64, space::Allocation::Kind::local, failure));
  }
  void ask(Kind kind, int rank, std::uint64_t request = 7) {
    const LockRecord record{request, reinterpret_cast<std::uint64_t>(word_), lock_token(rank)};
    net_.peer.say(kind, rank, record);
  }
  /// The n-th answer of that kind: for which rank, and what.
  std::pair<int, std::uint64_t> answer(Kind kind, std::size_t n = 0) {
    if (!net_.until([&] { return net_.peer.seen(kind).size() > n; })) return {-1, 0};
    const auto seen = net_.peer.seen(kind)[n];
    return {seen.record.to, seen.head<ValueRecord>().value};
  }
  using Answer = std::pair<int, std::uint64_t>;

  TwoNodes net_{harness::TwoNodes::with(service)};
  LockWord* word_ = nullptr;
};

TEST_F(OwnerTest, a_free_mutex_is_given_at_once) {
  ask(Kind::lock, 1);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, 0));
  EXPECT_EQ(word_->load(), lock_token(1));
}

TEST_F(OwnerTest, who_waits_hears_who_holds_it_and_then_that_it_is_his_turn) {
  word_->store(lock_token(0));
  ask(Kind::lock, 1);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, lock_token(0)));
  word_->store(0);  // as a rank of this node releases it
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(1, 0));
  EXPECT_EQ(word_->load(), lock_token(1));
}

TEST_F(OwnerTest, who_waits_hears_of_each_that_holds_it_meanwhile) {
  word_->store(lock_token(0));
  ask(Kind::lock, 1);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, lock_token(0)));
  word_->store(lock_token(3));  // ranks of this node pass it on
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(1, lock_token(3)));
  word_->store(0);
  EXPECT_EQ(answer(Kind::lock_holder, 2), Answer(1, 0));
}

TEST_F(OwnerTest, turns_come_in_the_order_of_asking) {
  word_->store(lock_token(0));
  ask(Kind::lock, 2);
  ask(Kind::lock, 1, 8);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(2, lock_token(0)));
  word_->store(0);
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(2, 0));
  // Only now is the other one the first who waits.
  EXPECT_EQ(answer(Kind::lock_holder, 2), Answer(1, lock_token(2)));
  ask(Kind::unlock, 2);
  EXPECT_EQ(answer(Kind::value), Answer(2, 1));
  EXPECT_EQ(answer(Kind::lock_holder, 3), Answer(1, 0));
}

TEST_F(OwnerTest, who_holds_it_already_is_told_so) {
  word_->store(lock_token(1));
  ask(Kind::lock, 1);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, lock_token(1)));
  ask(Kind::unlock, 1);
  EXPECT_EQ(answer(Kind::value), Answer(1, 1));
  EXPECT_EQ(word_->load(), 0U);  // he was not put into the queue as well
}

TEST_F(OwnerTest, another_thread_of_the_holders_rank_waits_for_its_turn) {
  const auto ask_by = [&](Kind kind, std::uint64_t thread, std::uint64_t request) {
    const LockRecord record{request, reinterpret_cast<std::uint64_t>(word_),
                            thread << 32 | lock_token(1)};
    net_.peer.say(kind, 1, record);
  };
  ask_by(Kind::lock, 0, 7);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, 0));
  ask_by(Kind::lock, 5, 8);
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(1, lock_token(1)));
  ask_by(Kind::unlock, 6, 9);  // a third one gives it back
  EXPECT_EQ(answer(Kind::value), Answer(1, 1));
  EXPECT_EQ(answer(Kind::lock_holder, 2), Answer(1, 0));
  EXPECT_EQ(word_->load(), std::uint64_t{5} << 32 | lock_token(1));
}

TEST_F(OwnerTest, who_asks_twice_has_it_twice) {
  word_->store(lock_token(0));
  ask(Kind::lock, 1);  // the rank, and a method of it
  ask(Kind::lock, 1, 8);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, lock_token(0)));
  // Records come in order: when this one is answered, both have asked.
  ask(Kind::unlock, 2, 9);
  EXPECT_EQ(answer(Kind::value), Answer(2, 0));
  word_->store(0);
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(1, 0));
  ask(Kind::unlock, 1);
  // Not that it holds it already, which it would take for the end of its second request.
  EXPECT_EQ(answer(Kind::lock_holder, 2), Answer(1, 0));
  EXPECT_EQ(word_->load(), lock_token(1));
}

TEST_F(OwnerTest, who_does_not_hold_it_cannot_release_it) {
  word_->store(lock_token(0));
  ask(Kind::unlock, 1);
  EXPECT_EQ(answer(Kind::value), Answer(1, 0));
  EXPECT_EQ(word_->load(), lock_token(0));
}

TEST_F(OwnerTest, who_leaves_the_queue_gets_no_turn) {
  word_->store(lock_token(0));
  ask(Kind::lock, 1);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, lock_token(0)));
  ask(Kind::leave_lock, 1);
  ask(Kind::lock, 2, 8);
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(2, lock_token(0)));
  word_->store(0);
  EXPECT_EQ(answer(Kind::lock_holder, 2), Answer(2, 0));
}

TEST_F(OwnerTest, who_leaves_when_his_turn_has_come_gives_it_back) {
  ask(Kind::lock, 1);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, 0));
  ask(Kind::leave_lock, 1);
  EXPECT_TRUE(net_.until([&] { return word_->load() == 0; }));
}

TEST_F(OwnerTest, the_dead_in_the_queue_are_passed_over) {
  word_->store(lock_token(0));
  ask(Kind::lock, 1);
  ask(Kind::lock, 2, 8);
  EXPECT_EQ(answer(Kind::lock_holder), Answer(1, lock_token(0)));
  net_.mapping().slot(1).life = space::Life::dead;
  EXPECT_EQ(answer(Kind::lock_holder, 1), Answer(2, lock_token(0)));
  word_->store(0);
  EXPECT_EQ(answer(Kind::lock_holder, 2), Answer(2, 0));
}

TEST_F(OwnerTest, the_lock_of_elements_that_a_dead_rank_holds_is_broken) {
  net_.mapping().header().settings.on_death = space::OnDeath::go_on;
  const global_ptr<std::int64_t> element(Rank(0), reinterpret_cast<std::int64_t*>(word_));
  LockWord& lock = net_.mapping().chunk_lock(Rank(0), reinterpret_cast<std::byte*>(word_));
  lock = lock_token(2);
  net_.mapping().slot(2).life = space::Life::dead;
  net_.mapping().header().gone.deaths = 1;
  accumulate(element, std::int64_t{3});
  EXPECT_EQ(word_->load(), 3U);
  EXPECT_EQ(lock.load(), 0U);
}

TEST_F(OwnerTest, one_allocation_too_many_is_a_failure_like_others) {
  space::Allocations& list = net_.mapping().allocations(0);
  space::Allocation other;
  other.begin = 2 * reinterpret_cast<std::uint64_t>(word_);
  while (list.add(other)) other.begin += 64;
  space::AddressSpace::Failure failure;
  EXPECT_EQ(net_.space().allocate(8, 64, space::Allocation::Kind::local, failure), nullptr);
  EXPECT_NE(failure.limit, "");
}

/// Rank 1 owns a mutex, which rank 0 wants.
class AskerTest : public testing::Test {
 protected:
  /// Answers what is asked with a lock's request by these, and a release by `was_held`.
  void play(std::vector<std::uint64_t> turns, std::uint64_t was_held = 1) {
    net_.peer.on_record = [this, turns = std::move(turns), was_held](const Peer::Seen& seen) {
      const auto request = seen.head<LockRecord>().request;
      for (const std::uint64_t turn : turns)
        if (seen.is(Kind::lock)) net_.peer.say(Kind::lock_holder, 1, ValueRecord{request, turn});
      if (seen.is(Kind::unlock)) net_.peer.say(Kind::value, 1, ValueRecord{request, was_held});
    };
  }
  Errc code_of_lock() {
    try {
      lock_remote(*net::network(), mutex_, lock_token(0), "lock");
    } catch (const Error& error) {
      return error.code();
    }
    return Errc{};
  }

  TwoNodes net_{harness::TwoNodes::with(service)};
  RemoteMutex mutex_{Rank(1), reinterpret_cast<const LockWord*>(net_.mapping().segment(1)), 3};
};

TEST_F(AskerTest, has_it_when_told_that_it_is_its_turn) {
  play({lock_token(2), 0});  // held by another first
  lock_remote(*net::network(), mutex_, lock_token(0), "lock");
  EXPECT_EQ(net_.peer.seen(Kind::lock).size(), 1U);
  EXPECT_TRUE(unlock_remote(*net::network(), mutex_, lock_token(0), "unlock"));
}

TEST_F(AskerTest, must_not_hold_it_already) {
  play({lock_token(0)});
  EXPECT_EQ(code_of_lock(), Errc::misuse);
}

TEST_F(AskerTest, is_told_when_it_releases_what_it_does_not_hold) {
  play({}, 0);
  EXPECT_FALSE(unlock_remote(*net::network(), mutex_, lock_token(0), "unlock"));
}

TEST_F(AskerTest, leaves_the_queue_when_the_holder_has_died) {
  net_.mapping().header().settings.on_death = space::OnDeath::go_on;
  play({lock_token(2)});
  net_.mapping().slot(2).life = space::Life::dead;
  net_.mapping().header().gone.deaths = 1;
  EXPECT_EQ(code_of_lock(), Errc::rank_lost);
  EXPECT_TRUE(net_.until([&] { return net_.peer.seen(Kind::leave_lock).size() == 1; }));
}

}  // namespace
}  // namespace armature::rma
