#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "space/mapping.hpp"
#include "transport/links.hpp"

namespace armature::net {

/// The processes on other nodes: which there are, what all of them are told, and what becomes of
/// the job when one of them fails.
class Peers {
 public:
  Peers(const space::Mapping& mapping, transport::Links& links);
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() = default;

  /// Sets the functions that are told of failures, see NetworkOptions.
  void report_to(void (*say_failed)(int process, const char* why),
                 void (*end)(int process, const char* why)) {
    say_failed_ = say_failed;
    end_job_ = end;
  }

  [[nodiscard]] const space::Mapping& mapping() const { return mapping_; }
  [[nodiscard]] const std::vector<int>& all() const { return all_; }
  /// That process is on another node and has come to the job (handshake.hpp). Under the links'
  /// lock.
  void add(int process) { all_.push_back(process); }
  /// A rank that the process hosted at first, to name it by; where the job goes on after deaths,
  /// all stay. -1: it has come later.
  [[nodiscard]] int first_rank_of(int process) const {
    return first_ranks_[static_cast<std::size_t>(process)];
  }

  /// Whether the job outlives its dead. Where it does not, whoever waits for one waits for the end.
  [[nodiscard]] bool goes_on() const {
    return mapping_.header().settings.on_death == space::OnDeath::go_on;
  }
  /// Whether nothing is expected of that rank any more. Another process of this node may have given
  /// it up before this one has.
  [[nodiscard]] bool is_failed(const transport::Link& link, int rank) const;
  /// Throws Error(rank_lost) where the job goes on and that rank's process cannot be reached any
  /// more.
  void require_reachable(int rank, const char* call);

  /// An empty record of the links' own. Under the links' lock.
  void tell_partners(transport::Kind kind);
  /// Tells all to which this process is connected what has become of a rank of it.
  void tell_life(int rank, space::Life life);
  /// Another process has told that. Under the links' lock.
  void on_life(const transport::Arrived& arrived);

  /// The ranks of a process that can be reached no more are dead, for this node. Under the links'
  /// lock.
  void note_failure(int process, const char* why);
  /// Ends the job if it should have ended some time ago because of a failure. Under the links'
  /// lock.
  void end_after_failure();
  /// Whether that is to come.
  [[nodiscard]] bool ends_soon() const { return first_failure_.at_ns != 0; }
  /// Ends the job, which cannot go on, where no launcher of ours does so.
  void end_job(const char* why) {
    if (mapping_.header().launcher.is_there == 0 && end_job_ != nullptr) end_job_(-1, why);
  }

 private:
  const space::Mapping& mapping_;
  transport::Links& links_;
  std::vector<int> all_;
  std::vector<int> first_ranks_;  // by process
  void (*say_failed_)(int process, const char* why) = nullptr;
  void (*end_job_)(int process, const char* why) = nullptr;
  struct Failure {                        // the first, where the job ends with it
    std::atomic<std::uint64_t> at_ns{0};  // the rest is written before it, under the links' lock
    int process = -1;
    std::string why;
  };
  Failure first_failure_;
};

/// Throws Error(rank_lost).
[[noreturn]] void fail_lost(int rank, const char* call);

}  // namespace armature::net
