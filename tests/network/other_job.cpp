// other_job ENGINE FOLDER PROCESSES HOW: a process of another job, which has the same engine, and
// the addresses of the processes of a running job: files in that folder. It connects to each of
// them as a process of its own job would, and sends what that would send, and packets that make no
// sense. Then it ends in order, or at once (HOW: `in-order`, `at-once`). Prints how many packets it
// has sent to each process.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "transport/links.hpp"

namespace {

using armature::transport::Link;
using armature::transport::Links;
using armature::transport::PacketHeader;
using armature::transport::Sending;
using Bytes = std::vector<std::byte>;

constexpr std::size_t lent_bytes = 200'000;

Bytes address_of(const std::string& folder, int process) {
  std::ifstream file(folder + "/address-" + std::to_string(process), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Bytes that are lent until they have been sent.
struct Lent : Sending {
  explicit Lent(Bytes of) : bytes(std::move(of)) {
    sent = [](Sending& me) { static_cast<Lent&>(me).is_under_way = false; };
  }
  Bytes bytes;
  bool is_under_way = true;
};

class OtherJob {
 public:
  OtherJob(const std::string& engine, int processes)
      : links_({.process = 0,
                .processes = processes + 1,  // this one, and those that it takes for its own
                .secret = random_.next(),
                .engine = {.device = "lo", .interfaces = "", .name = engine}}) {}

  void meet(const std::string& folder, int process) {
    links_.connect(process + 1, address_of(folder, process), "a process of another job");
  }
  /// Returns how many packets that were.
  int speak_to(int process) {
    Link& link = links_.to(process + 1);
    constexpr int of_job = 20;
    for (int i = 0; i < of_job; ++i) {
      const std::size_t body = random_.below(1000);
      std::memset(link.append(armature::transport::Kind::none, -1, -1, body, Link::Ack::soon), i,
                  body);
      link.flush();
    }
    Lent& lent = kept_.emplace_back(Bytes(lent_bytes));
    link.lend(armature::transport::Kind::none, -1, -1, {}, lent.bytes, lent, Link::Ack::soon);
    int packets = of_job + 1;
    for (const std::size_t bytes : {std::size_t{1}, sizeof(PacketHeader) - 1, sizeof(PacketHeader),
                                    std::size_t{100}, std::size_t{16384}, std::size_t{300'000}}) {
      send_senseless(process + 1, bytes);
      ++packets;
    }
    return packets;
  }
  void await_sent() {
    const auto any = [&] {
      return std::ranges::any_of(kept_, [](const Lent& one) { return one.is_under_way; });
    };
    const auto begun = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::steady_clock::now() - begun; };
    while ((any() && passed() < std::chrono::seconds(30)) ||
           passed() < std::chrono::milliseconds(300)) {
      (void)links_.progress();
      sched_yield();
    }
  }

 private:
  /// A packet whose header may be right, but for its sum.
  void send_senseless(int process, std::size_t bytes) {
    Bytes packet(bytes);
    for (std::byte& one : packet) one = static_cast<std::byte>(random_.below(256));
    if (const PacketHeader header{.sum = random_.next(), .sequence = 1, .process = 1};
        bytes > sizeof header && random_.below(2) == 0)
      std::memcpy(packet.data(), &header, sizeof header);
    Lent& lent = kept_.emplace_back(std::move(packet));
    Sending& sending = lent;
    if (links_.engine().send(process, {}, lent.bytes, reinterpret_cast<std::uint64_t>(&sending)))
      lent.is_under_way = false;
  }

  armature::base::Random random_{std::random_device{}()};
  std::deque<Lent> kept_;
  Links links_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int processes = std::atoi(argv[3]);
  OtherJob job(argv[1], processes);
  int packets = 0;
  for (int process = 0; process < processes; ++process) job.meet(argv[2], process);
  for (int process = 0; process < processes; ++process) packets = job.speak_to(process);
  job.await_sent();
  std::printf("other_job: %d packets to each\n", packets);
  std::fflush(stdout);
  if (std::strcmp(argv[4], "at-once") == 0) _exit(0);
  return 0;
}
