#include "bootstrap/process_table.hpp"

#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::bootstrap {
namespace {

using Card = std::vector<std::byte>;

/// An exchange of processes that have presented themselves already; without them, of one.
class Presented final : public Exchange {
 public:
  explicit Presented(std::vector<Card> cards = {}) : cards_(std::move(cards)) {}

  [[nodiscard]] int process() const override { return 0; }
  [[nodiscard]] int processes() const override {
    return cards_.empty() ? 1 : static_cast<int>(cards_.size());
  }
  void put(std::string_view, std::span<const std::byte> value) override {
    mine_.assign(value.begin(), value.end());
  }
  [[nodiscard]] Card get(int process, std::string_view) override {
    return cards_.empty() ? mine_ : cards_[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] const Card& mine() const { return mine_; }

 protected:
  void wait_for_all(std::chrono::milliseconds) override {}

 private:
  std::vector<Card> cards_;
  Card mine_;
};

Card card_of(Hosting hosting) {
  Presented alone;
  try {
    (void)make_process_table(alone, hosting, "socket");
  } catch (const Error&) {  // of one process that would not be
  }
  return alone.mine();
}

ProcessTable called(const std::vector<Hosting>& all) {
  std::vector<Card> cards;
  for (const Hosting& hosting : all) cards.push_back(card_of(hosting));
  Presented exchange(cards);
  return make_process_table(exchange, all.front(), "socket");
}

std::string refusal(const std::vector<Hosting>& all) {
  try {
    (void)called(all);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST(ProcessTableTest, ranks_are_numbered_by_processes) {
  const ProcessTable process_table = called({{2, 5}, {3, 5}});
  EXPECT_EQ(process_table.ranks, 5);
  EXPECT_TRUE(process_table.are_virtual);
  EXPECT_EQ(process_table.members[1].first_rank, 2);
}

TEST(ProcessTableTest, what_is_hosted_must_be_the_job) {
  EXPECT_NE(refusal({{2, 5}, {2, 5}}).find("host 4 virtual ranks together, not the 5"),
            std::string::npos);
  EXPECT_NE(refusal({{2, 5}, {2, 4}}).find("must be the same in all"), std::string::npos);
}

TEST(ProcessTableTest, no_more_are_hosted_than_a_job_may_have) {
  EXPECT_NE(refusal({{200'000, 0}}).find("to host 200000 ranks"), std::string::npos);
  EXPECT_NE(refusal({{-1, 0}}).find("to host 4294967295 ranks"), std::string::npos);
  EXPECT_NE(refusal({{100'000, 0}, {100'000, 0}}).find("200000 ranks together"), std::string::npos);
}

}  // namespace armature::bootstrap
