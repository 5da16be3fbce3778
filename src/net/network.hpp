#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "net/mirrors.hpp"
#include "net/progress_thread.hpp"
#include "net/rank_map.hpp"
#include "space/address_space.hpp"
#include "transport/links.hpp"
#include "wait/poller.hpp"

// The process's way to ranks on other nodes. There is none where a job has one node.
//
// Whoever waits polls it. Besides, a service thread does while nobody else looks (service.hpp), so
// that what others ask of this process is done while it computes.

namespace armature::net {

struct NetworkOptions {
  transport::EngineOptions engine;
  transport::OpenBy open = transport::load_engine;
  /// After a fence that all have passed: the interface, "" for the engine's own choice.
  std::function<std::string(bootstrap::Exchange&)> find_device;
  /// "process 3 (rank 3 on b, 10.0.0.2)", for errors.
  std::function<std::string(int process)> name_peer;
  /// Those of higher floors, the same in all processes and in this order.
  std::vector<const transport::Service*> services;
  void (*say_lost)(int process, const char* why) = nullptr;  // once on this node
  void (*end_job)(int process, const char* why) = nullptr;   // a loss has: does not return
  std::uint64_t heartbeat_ns = 10'000'000'000;               // silent for longer: lost; 0: never
  bool serves = true;                         // by a thread of its own, where nobody polls
  std::uint64_t connect_ns = 30'000'000'000;  // within that every process must have answered
};

class Network final : public wait::Poller, private ProgressThread::Process {
 public:
  using Spaces = RankMap::Spaces;

  /// Collective over all processes. `spaces` are the ranks that this process hosts.
  /// Throws Error(start) naming interface, address and process.
  static void join(const space::Mapping& mapping, Spaces spaces, bootstrap::Exchange& exchange,
                   const NetworkOptions& options);
  /// Collective: returns when no other process will ask for anything any more.
  static void leave();

  [[nodiscard]] transport::Links& links() { return links_; }
  /// The link to the process by which that rank, which is on another node, is reached.
  [[nodiscard]] transport::Link& link_to(int rank) { return links_.to(map_.process_of(rank)); }
  /// Who is where, as it was when all stood still last.
  [[nodiscard]] const RankMap& rank_map() const { return map_; }
  [[nodiscard]] const space::Mapping& mapping() const { return map_.mapping(); }
  [[nodiscard]] const Spaces& spaces() const { return map_.spaces(); }
  [[nodiscard]] int place_of(int rank) const { return map_.place_of(rank); }
  [[nodiscard]] std::size_t places() const { return map_.places(); }
  [[nodiscard]] space::AddressSpace* space_of(int rank) const { return map_.space_of(rank); }
  [[nodiscard]] int door_of(int rank) const { return map_.door_of(rank); }
  /// Whether all that this rank, which is in this process, has sent has been handled: only then may
  /// it go to another one, whose links know nothing of these. If not, the others are asked to say
  /// so soon.
  [[nodiscard]] bool has_settled(int rank);
  /// From now on it hosts these, as slots of all ranks say. No rank of the job runs, and nothing is
  /// on its way between processes.
  void host(Spaces spaces);
  /// Before that, while ranks are still where they were: what this process has made in their bands
  /// is given back.
  void close();
  /// Sends what is left; whether nothing is on its way from here that will be acknowledged, and no
  /// service has anything under way. Under the links' lock.
  [[nodiscard]] bool is_quiet();
  /// Ranks go back to what they were, or have let go of all to go to other nodes: nothing that is
  /// kept of them here, for others or themselves, means anything any more; services forget it. No
  /// rank of this process runs. Under the links' lock.
  void forget_ranks();
  /// What comes is not handled before this process goes back, which is due: something could not be.
  /// Under the links' lock.
  void ignore_all() { links_.ignore_all(); }
  /// Whether transfers may be made by the network's hardware, which knows the pages.
  [[nodiscard]] bool reaches_memory() const { return links_.engine().is_one_sided(); }
  /// The processes on other nodes.
  [[nodiscard]] const std::vector<int>& others() const override { return others_; }

  /// Handles what has come, sends what was held back. Never blocks.
  bool poll();
  /// What higher floors look at when the network is polled; whether they want that again soon.
  /// Under the links' lock.
  bool look() override;
  /// For threads that wait: does nothing while another thread is at it. Whether there was
  /// something.
  bool try_poll() override;
  /// The calling rank has left something for that rank where it finds it on a node: see what.
  void doorbell(int rank) override;
  [[nodiscard]] Mirrors& mirrors() { return mirrors_; }

  /// Whether the job outlives its dead. Where it does not, whoever waits for one waits for the end.
  [[nodiscard]] bool goes_on() const {
    return mapping().header().on_death == space::OnDeath::go_on;
  }
  /// Throws Error(rank_lost) where the job goes on and that rank's process cannot be reached any
  /// more.
  void require_reachable(int rank, const char* call);
  /// Blocks until everything sent so far to that rank's process has been handled there. Throws
  /// Error(rank_lost) when that cannot be any more.
  void fence(int rank, const char* call);
  /// The same for all. Of a process that was lost with something on its way it is said once.
  void fence_all(const char* call);
  /// The same for all that can be reached.
  void settle_all(const char* call);
  /// The same for all but one process, or -1.
  void settle_others(int process, const char* call);
  /// Blocks while the engine has more to send than it should.
  void await_room(int rank, const char* call);
  /// Begins a transfer of a rank of this process, or of none (-1), to that process. The caller
  /// waits for it; or computes from now on, while the network's thread sends it.
  enum class Start { now, beside };
  void start(transport::Stream& stream, int rank, int process, Start how);
  /// A rank of this process computes from now on while something comes for it.
  void look_away() override { service_.look_away(); }
  /// It sleeps, or all virtual ranks do; it does not any more.
  void fall_asleep() override { service_.fall_asleep(); }
  void wake_up() override { service_.wake_up(); }
  /// It polls without a pause; it does not any more.
  [[nodiscard]] bool stop_ears() override { return service_.stop_ears(); }
  void hear_again() override { service_.hear_again(); }
  /// It has polled without having said so before, and may not do so again.
  void polled_once() override { service_.polled_once(); }
  /// Where the job should have ended some time ago because of a loss, ends it. Under the links'
  /// lock.
  void end_after_loss() override;
  /// Whether that is to come.
  [[nodiscard]] bool ends_soon() const override { return first_loss_.at_ns != 0; }
  /// Where the job goes back to copies: ends this process if the others are without it by now.
  /// Before it takes another one for lost. Under the links' lock.
  void end_if_given_up() override;
  /// Where no launcher of ours does it: ends the job, which cannot go on.
  void end_job(const char* why) {
    if (mapping().header().has_launcher == 0 && end_job_ != nullptr) end_job_(-1, why);
  }
  /// Tells everybody what has become of a rank of this process.
  void tell_life(int rank, space::Life life);

 private:
  Network(const space::Mapping& mapping, Spaces spaces, const transport::Links::Options& options);
  void connect(bootstrap::Exchange& exchange, const NetworkOptions& options);
  void require_same_services(bootstrap::Exchange& exchange, const NetworkOptions& options);
  void await_greetings(const NetworkOptions& options);
  void tell_all(transport::Kind kind);
  void say_bye();
  void flush_held();
  void lost(int process, const char* why);
  [[nodiscard]] bool is_lost(const transport::Link& link, int rank);
  void await_streams(int process, int rank, const char* call);
  [[nodiscard]] bool settle(int process, int rank, const char* call);
  [[nodiscard]] std::vector<int> open_processes(int but);
  /// One that the process hosted at first, to name it by; where the job goes on after deaths, all
  /// stay.
  [[nodiscard]] int first_rank_of(int process) const {
    return first_ranks_[static_cast<std::size_t>(process)];
  }

  RankMap map_;
  transport::Links links_;
  Mirrors mirrors_;
  std::vector<int> others_;
  std::vector<int> first_ranks_;          // by process
  std::vector<std::uint64_t> told_lost_;  // by process: packets whose loss has been reported
  std::vector<bool (*)()> polls_;         // of services
  void (*say_lost_)(int process, const char* why) = nullptr;
  void (*end_job_)(int process, const char* why) = nullptr;
  struct Loss {                           // the first, where the job ends with it
    std::atomic<std::uint64_t> at_ns{0};  // the rest is written before it, under the links' lock
    int process = -1;
    std::string why;
  };
  Loss first_loss_;
  ProgressThread service_{links_, map_, *this};
};

/// The calling thread's runtime's; nullptr where the job has one node.
inline Network* network() {
  // No other poller is ever set.
  return static_cast<Network*>(wait::poller());
}

/// The network when that rank is on another node, else nullptr.
inline Network* network_to(const space::Mapping& mapping, int rank) {
  Network* const net = network();
  return net != nullptr && !mapping.is_here(rank) ? net : nullptr;
}

}  // namespace armature::net
