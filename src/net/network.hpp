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
#include "space/address_space.hpp"
#include "transport/links.hpp"

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
  std::vector<void (*)(transport::Links&)> handlers;         // higher floors' kinds of records
  void (*on_lost)(int process) = nullptr;                    // under the links' lock
  void (*say_lost)(int process, const char* why) = nullptr;  // after it; once on this node
  void (*end_job)(int process, const char* why) = nullptr;   // a loss has: does not return
  bool (*look)() = nullptr;  // under the links' lock, at every poll: whether to look again soon
  std::vector<void (*)()> forget;               // what higher floors keep of ranks; under it, too
  std::uint64_t heartbeat_ns = 10'000'000'000;  // silent for longer: lost; 0: never
  bool serves = true;                           // by a thread of its own, where nobody polls
  std::uint64_t connect_ns = 30'000'000'000;    // within that every process must have answered
};

class Network {
 public:
  using Spaces = std::vector<space::AddressSpace*>;

  /// Collective over all processes. `spaces` are the ranks that this process hosts.
  /// Throws Error(start) naming interface, address and process.
  static void join(const space::Mapping& mapping, Spaces spaces, bootstrap::Exchange& exchange,
                   const NetworkOptions& options);
  /// Collective: returns when no other process will ask for anything any more.
  static void leave();

  [[nodiscard]] transport::Links& links() { return links_; }
  /// The link to the process by which that rank, which is on another node, is reached.
  [[nodiscard]] transport::Link& link_to(int rank) {
    return links_.to(mapping_.slot(rank).process);
  }
  [[nodiscard]] const space::Mapping& mapping() const { return mapping_; }
  /// Of the ranks that are reached by this process: those that it hosted at first, or when all
  /// stood still last. Virtual ranks may be in another process of the node since.
  [[nodiscard]] const Spaces& spaces() const { return spaces_; }
  /// Where a rank that may be in this process stands among those; -1 for others.
  [[nodiscard]] int place_of(int rank) const {
    return rank >= 0 && rank < std::ssize(places_) ? places_[static_cast<std::size_t>(rank)] : -1;
  }
  [[nodiscard]] std::size_t places() const { return places_count_; }
  /// Of a rank that is reached by this process; nullptr for others.
  [[nodiscard]] space::AddressSpace* space_of(int rank) const {
    if (rank < 0 || rank >= std::ssize(doors_)) return nullptr;
    const int door = doors_[static_cast<std::size_t>(rank)];
    return door >= 0 ? spaces_[static_cast<std::size_t>(door)] : nullptr;
  }
  /// The process by which other nodes reach a rank of this one.
  [[nodiscard]] int door_of(int rank) const { return processes_[static_cast<std::size_t>(rank)]; }
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
  /// Sends what is left; whether nothing is on its way from here that will be acknowledged. Under
  /// the links' lock.
  [[nodiscard]] bool is_quiet();
  /// Ranks go back to what they were: nothing that is kept of them here, for others or themselves,
  /// means anything any more. No rank of this process runs. Under the links' lock.
  void forget_ranks();
  /// What comes is not handled before this process goes back, which is due: something could not be.
  /// Under the links' lock.
  void ignore_all();
  /// Whether transfers may be made by the network's hardware, which knows the pages.
  [[nodiscard]] bool reaches_memory() const { return links_.engine().is_one_sided(); }
  /// The processes on other nodes.
  [[nodiscard]] const std::vector<int>& others() const { return others_; }

  /// Handles what has come, sends what was held back. Never blocks.
  bool poll();
  /// What higher floors look at when the network is polled; whether they want that again soon.
  /// Under the links' lock.
  bool look() { return look_ != nullptr && look_(); }
  /// For threads that wait: does nothing while another thread is at it. Whether there was
  /// something.
  bool try_poll();
  /// The calling rank has left something for that rank where it finds it on a node: see what.
  void doorbell(int rank);
  [[nodiscard]] Mirrors& mirrors() { return mirrors_; }

  /// Whether the job outlives its dead. Where it does not, whoever waits for one waits for the end.
  [[nodiscard]] bool goes_on() const { return mapping_.header().on_death == space::OnDeath::go_on; }
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
  void look_away() { service_.look_away(); }
  /// It sleeps, or all virtual ranks do; it does not any more.
  void fall_asleep() { service_.fall_asleep(); }
  void wake_up() { service_.wake_up(); }
  /// It polls without a pause; it does not any more.
  [[nodiscard]] bool stop_ears() { return service_.stop_ears(); }
  void hear_again() { service_.hear_again(); }
  /// It has polled without having said so before, and may not do so again.
  void polled_once() { service_.polled_once(); }
  /// Where the job should have ended some time ago because of a loss, ends it. Under the links'
  /// lock.
  void end_after_loss();
  /// Whether that is to come.
  [[nodiscard]] bool ends_soon() const { return first_loss_.at_ns != 0; }
  /// Where the job goes back to copies: ends this process if the others are without it by now.
  /// Before it takes another one for lost. Under the links' lock.
  void end_if_given_up();
  /// Where no launcher of ours does it: ends the job, which cannot go on.
  void end_job(const char* why) {
    if (mapping_.header().has_launcher == 0 && end_job_ != nullptr) end_job_(-1, why);
  }
  /// Tells everybody what has become of a rank of this process.
  void tell_life(int rank, space::Life life);

 private:
  Network(const space::Mapping& mapping, Spaces spaces, const transport::Links::Options& options);
  void connect(bootstrap::Exchange& exchange, const NetworkOptions& options);
  void await_greetings(const NetworkOptions& options);
  void tell_all(transport::Kind kind);
  void say_bye();
  void flush_held();
  void lost(int process, const char* why);
  [[nodiscard]] bool is_lost(const transport::Link& link, int rank);
  void await_streams(int process, int rank, const char* call);
  [[nodiscard]] bool settle(int process, int rank, const char* call);
  [[nodiscard]] std::vector<int> open_processes(int but);
  void find_places();
  /// One that the process hosted at first, to name it by; where the job goes on after deaths, all
  /// stay.
  [[nodiscard]] int first_rank_of(int process) const {
    return first_ranks_[static_cast<std::size_t>(process)];
  }

  const space::Mapping& mapping_;
  Spaces spaces_;
  // By rank.
  std::vector<int> places_, doors_;  // -1: not here, not of spaces_
  std::vector<int> processes_;       // as they were when places were found
  std::size_t places_count_ = 0;
  transport::Links links_;
  Mirrors mirrors_;
  std::vector<int> others_;
  std::vector<int> first_ranks_;          // by process
  std::vector<std::uint64_t> told_lost_;  // by process: packets whose loss has been reported
  void (*also_lost_)(int process) = nullptr;
  std::vector<void (*)()> also_forget_;
  bool (*look_)() = nullptr;
  void (*say_lost_)(int process, const char* why) = nullptr;
  void (*end_job_)(int process, const char* why) = nullptr;
  struct Loss {                           // the first, where the job ends with it
    std::atomic<std::uint64_t> at_ns{0};  // the rest is written before it, under the links' lock
    int process = -1;
    std::string why;
  };
  Loss first_loss_;
  ProgressThread service_{*this};
};

namespace detail {
extern constinit Network* the_network;  // of the process
}

/// nullptr where the job has one node.
inline Network* network() { return detail::the_network; }
/// While it is there the calling rank polls, from before it sends what it waits for: the answer
/// need not wake the service thread, but where ranks take turns on the cores, or others want them:
/// who polls there may be away for long. What it leaves is done later. Nothing for virtual ranks,
/// whose process polls.
class Quiet {
 public:
  Quiet();
  ~Quiet() {
    if (net_ != nullptr) net_->hear_again();
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  Network* net_;
};

/// The network when that rank is on another node, else nullptr.
inline Network* network_to(const space::Mapping& mapping, int rank) {
  Network* const net = network();
  return net != nullptr && !mapping.is_here(rank) ? net : nullptr;
}

}  // namespace armature::net
