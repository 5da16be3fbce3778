// Pings by remote calls, and one pong (armi-rmi-2003, figure 6): rank 0 calls rank 1 so many times,
// whose answer to the last one ends the round.
//
//   armature run -n 2 pings [PINGS...]
//
// Prints lines of aggregation, number of pings and nanoseconds of a round, separated by tabs;
// aggregation 0 is adaptive. The middle one of many rounds counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <armature/armature.hpp>

namespace {

using armature::World;
using Clock = std::chrono::steady_clock;

/// A player's methods are called by the other rank.
class Player {
 public:
  void ping() { ++pings_; }
  void last_ping(armature::shared_ref<Player> all, int asker) {
    ++pings_;
    all.async(asker, &Player::pong);
  }
  void pong() { ++pongs_; }
  [[nodiscard]] long pings() const { return pings_; }
  [[nodiscard]] long pongs() const { return pongs_; }

 private:
  long pings_ = 0, pongs_ = 0;
};

double round_ns(armature::shared<Player>& player, int pings) {
  const long pongs = player->pongs();
  const auto start = Clock::now();
  for (int i = 1; i < pings; ++i) player.async(1, &Player::ping);
  player.async(1, &Player::last_ping, player, 0);
  while (player->pongs() == pongs) armature::rmi_wait();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double middle_ns(armature::shared<Player>& player, int pings) {
  std::vector<double> rounds(static_cast<std::size_t>(std::clamp(2'000'000 / pings, 21, 2001)));
  for (double& round : rounds) round = round_ns(player, pings);
  std::nth_element(rounds.begin(), rounds.begin() + rounds.size() / 2, rounds.end());
  return rounds[rounds.size() / 2];
}

void measure(armature::shared<Player>& player, std::uint32_t aggregation,
             const std::vector<int>& counts) {
  armature::RmiSettings settings = armature::rmi_settings();
  settings.aggregation = aggregation;
  armature::set_rmi_settings(settings);
  for (const int pings : counts) {
    std::printf("%u\t%d\t%.1f\n", aggregation, pings, middle_ns(player, pings));
    std::fflush(stdout);
  }
}

int play(const World& world, const std::vector<int>& counts) {
  armature::shared<Player> player(world);
  if (world.rank() == 0)
    for (const std::uint32_t aggregation : {0U, 4U, 16U, 64U, 256U, 1024U, 2048U})
      measure(player, aggregation, counts);
  armature::rmi_fence();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> counts;
  for (int i = 1; i < argc; ++i) counts.push_back(std::atoi(argv[i]));
  if (counts.empty()) counts = {1, 2, 5, 10, 20, 50, 100, 1000, 10000};
  if (*std::ranges::min_element(counts) < 1) {
    std::fprintf(stderr, "usage: pings [PINGS...]\n");
    return 2;
  }
  return armature::run(argc, argv, [counts](World& world) {
    if (world.size() == 2) return play(world, counts);
    if (world.rank() == 0) std::fprintf(stderr, "pings: 2 ranks are needed\n");
    return 2;
  });
}
