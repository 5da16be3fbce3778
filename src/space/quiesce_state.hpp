#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace armature::space {

/// The place to which a checkpoint is written. With `nowhere`, all quiesce so that ranks can go to
/// other nodes.
enum class KeptIn : std::uint32_t {
  folder,
  memory,
  nowhere,
  next_start,  // a folder, from which the job goes on in new processes: these end then
};

/// The kinds of reconfiguration.
enum class Reconfiguration : std::uint32_t {
  roll_back,  // one has died: all ranks are as in the last checkpoint in memory
  spread,     // ranks as they are, in other processes
  place,      // ranks as they are, each where its slot says
};

/// The purpose for which all are about to quiesce.
enum class Asked : std::uint32_t { nothing, checkpoint, reconfiguration };

/// The processes that the job has: an epoch is the time between two changes. See quiesce.md.
struct Epoch {
  // By the launcher alone: how often processes were to reconfigure; by the first of them: and have.
  // Of epoch n are the processes whose slots say so. On several nodes: how many processes of the
  // job are known here to be lost, by whoever hears of one.
  std::atomic<std::uint32_t> wanted{0};
  std::atomic<Reconfiguration> how{Reconfiguration::roll_back};
  std::atomic<std::uint32_t> entered{0};
  std::atomic<std::uint32_t> recoveries{0};  // how often all rolled back
  // 1: some process has been given up that may still be there, only that nothing is heard of it.
  std::atomic<std::uint32_t> has_given_up{0};
  // 1: on several nodes they cannot roll back to a copy; QuiesceState::problem says why.
  std::atomic<std::uint32_t> beyond_recovery{0};
};

/// The folder of a checkpoint.
struct KeptFolder {
  static constexpr std::size_t directory_max = 512;  // the folders in it have longer names

  // The directory in which checkpoints lie, written by whoever wants one; and the number of this
  // one's folder there, written by the leader. On several nodes both come with the plan.
  char directory[2 * directory_max] = {};
  std::uint64_t number = 0;
  // The identity of this checkpoint, which no other has; it is told with the folder. The identity
  // of the first one that was begun is the job's own, too: a job that was restarted from a
  // checkpoint is another job.
  std::uint64_t id = 0, first_id = 0;
  // On several nodes: that of the one before, where what is written is what has changed since.
  std::uint64_t goes_on_from = 0;

  /// Called by each process that is told of a checkpoint.
  void begin(std::uint64_t that_one) {
    id = that_one;
    if (first_id == 0) first_id = id;
  }
};

/// Whether a checkpoint to disk holds what has changed since the one before, where it can.
struct Incremental {
  std::uint32_t is_setting = 0;             // 1: by the job's options
  std::atomic<std::uint32_t> is_wanted{0};  // 1: of the one that is wanted, by whoever wants it
  // By the leader, before it reaches the first step: since which one that is now; 0: all is
  // written. On several nodes with the plan; 0 after all, by whoever finds that ranks have moved.
  std::atomic<std::uint32_t> since{0};
};

/// Checkpoints of virtual ranks: all processes stop taking turns, write what there is, and go on.
/// Whoever wants one asks for it, writes the directory, and stores `wanted`. How far each process
/// is stands in its slot.
struct QuiesceState {
  static constexpr std::size_t text_max = 1024;

  std::atomic<std::uint32_t> wanted{0};  // number of the last that was wanted
  std::atomic<std::uint32_t> over{0};    // and of the last that is over; equal: none is under way
  std::atomic<std::uint32_t> failed{
      0};  // of the last that could not be written; `problem` says why
  // One thing at a time: no checkpoint begins while ranks go to other processes, nor that while one
  // is made. What becomes of it when a process dies those who roll back decide.
  std::atomic<Asked> asked{Asked::nothing};
  std::atomic<KeptIn> where{KeptIn::folder};
  // Ranks of this node that only wait for being on another one.
  std::atomic<std::uint32_t> ready{0};
  std::atomic<std::uint32_t> broken{0};  // processes that could not write their part
  std::uint32_t restarts = 0;            // how often the job was started again from a checkpoint
  std::atomic<std::uint32_t> is_filling{0};  // 1: what it goes on from is not yet in the segments
  Incremental incremental;
  KeptFolder folder;
  char problem[text_max] = {};
  // The build of the job that is started again: its program and its library must be the same.
  std::uint8_t build[2][20] = {};

  // In memory there are two copies of the segments' file: which of them is whole, 1 or 2; 0: none.
  // On several nodes: its number (checkpoint/copies.hpp).
  std::atomic<std::uint32_t> copy{0};
  // By a signal, where no launcher has all quiesce: how often the program was asked for a
  // checkpoint since rank 0, which is on this node then, has last looked.
  std::atomic<std::uint32_t> requests{0};
  Epoch epoch;

  /// False while something is asked for already.
  [[nodiscard]] bool ask_for(Asked what) {
    Asked before = Asked::nothing;
    return asked.compare_exchange_strong(before, what, std::memory_order_acq_rel);
  }
  /// If that is what is asked for, it is not any more.
  void ask_no_more_for(Asked what) {
    asked.compare_exchange_strong(what, Asked::nothing, std::memory_order_acq_rel);
  }
  /// Whether processes are to reconfigure: after a death, or since the job is to have more or
  /// fewer.
  [[nodiscard]] bool is_to_reconfigure() const {
    return epoch.wanted.load(std::memory_order_acquire) !=
           epoch.entered.load(std::memory_order_acquire);
  }
};

}  // namespace armature::space
