#include "bootstrap/process_table.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "bootstrap/key_value_store.hpp"
#include "bootstrap/node_identity.hpp"

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
  [[nodiscard]] const Card& mine() const { return mine_; }

 protected:
  [[nodiscard]] Card look_up(int process, std::string_view) override {
    return cards_.empty() ? mine_ : cards_[static_cast<std::size_t>(process)];
  }
  void wait_for_all(std::chrono::milliseconds) override {}

 private:
  std::vector<Card> cards_;
  Card mine_;
};

/// Pretends that this process is on a node of that name.
void be_on_node(std::size_t node) { setenv(node_variable, std::to_string(node).c_str(), 1); }

Card card_of(Hosting hosting) {
  Presented alone;
  try {
    (void)make_process_table(alone, hosting, "socket");
  } catch (const Error&) {  // of one process that would not be
  }
  return alone.mine();
}

ProcessTable called(const std::vector<Hosting>& all) {
  // Each on a node of its own, as none of the others comes to this one.
  std::vector<Card> cards;
  for (const Hosting& hosting : all) {
    be_on_node(cards.size());
    cards.push_back(card_of(hosting));
  }
  be_on_node(0);
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

/// A process's answer to how it came to its table.
struct Report {
  std::uint64_t reads;
  int nodes, node, index, ranks;
  bool has_failed_alike;
};

/// A job of `processes` forked processes on so many pretended nodes, dealt out in turn. The last
/// one is another build where that is asked for.
std::vector<Report> reports(int processes, int nodes, bool with_another_build) {
  const base::FileDescriptor file = KeyValueStore::create(processes, processes);
  const std::size_t bytes = sizeof(Report) * static_cast<std::size_t>(processes);
  auto* const all = static_cast<Report*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int process = 0; process < processes; ++process) {
    if (fork() != 0) continue;
    be_on_node(static_cast<std::size_t>(process % nodes));
    KeyValueStore exchange(file, process);
    Report& report = all[process];
    if (with_another_build && process == processes - 1) {
      exchange.put("card", std::as_bytes(std::span("another")));
      exchange.fence();
      _exit(0);
    }
    try {
      const ProcessTable table = make_process_table(exchange, {1, 0}, "socket");
      report = {0, table.nodes, table.self().node, table.self().index, table.ranks, false};
    } catch (const Error& error) {
      const std::string said = "process " + std::to_string(processes - 1) + " uses another build";
      report.has_failed_alike = std::string(error.what()).find(said) != std::string::npos;
    }
    report.reads = exchange.reads();
    _exit(0);
  }
  while (wait(nullptr) > 0) {
  }
  std::vector<Report> found(all, all + processes);
  munmap(all, bytes);
  return found;
}

}  // namespace

TEST(ProcessTableTest, one_process_of_each_node_reads_all_cards) {
  constexpr int processes = 48, nodes = 3;
  std::map<int, int> readers;
  const std::vector<Report> all = reports(processes, nodes, false);
  for (int process = 0; process < processes; ++process) {
    const Report& report = all[static_cast<std::size_t>(process)];
    EXPECT_EQ(report.nodes, nodes);
    EXPECT_EQ(report.ranks, processes);
    EXPECT_EQ(report.node, process % nodes);
    EXPECT_EQ(report.index, process / nodes);
    if (report.reads != 1) EXPECT_EQ(report.reads, processes + 1U);
    readers[report.node] += report.reads != 1;
  }
  EXPECT_EQ(readers, (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}}));
}

TEST(ProcessTableTest, all_say_which_process_is_another_build) {
  const std::vector<Report> all = reports(6, 2, true);
  for (std::size_t process = 0; process + 1 < all.size(); ++process)
    EXPECT_TRUE(all[process].has_failed_alike) << process;
}

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
