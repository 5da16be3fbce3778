#pragma once

#include <concepts>
#include <cstddef>
#include <new>

#include <armature/rank_local.hpp>

// State that ARMCI keeps for its caller belongs to the process, if every rank is a process that
// joins by itself: then threads of the process may use it. Under armci_run_main a process may host
// several ranks, which come and go: then it belongs to the rank. Asking each time how the process
// was started costs a load. Always being of the rank was rejected: it costs a search, in programs
// too that are not linked for it.

namespace armci {

/// Set by armci_run_main, before it joins the job: what is kept is of the rank.
inline bool is_of_rank = false;

/// A static of this library. Never destroyed: what ends a program may come after its destructors.
template <std::default_initializable T>
class OfRank {
 public:
  T& operator*() { return is_of_rank ? of_ranks_->value : of_process_; }
  T* operator->() { return &**this; }

 private:
  struct Made {
    T value{};

    Made() = default;
    Made(const Made& /*first*/) {}  // every rank begins with a new one
    Made& operator=(const Made&) = delete;
    ~Made() = default;
  };

  // The variable lies in place, so that it has the same address in all processes that a rank comes
  // to.
  alignas(armature::rank_local<Made>) std::byte place_[sizeof(armature::rank_local<Made>)];
  armature::rank_local<Made>& of_ranks_ = *new (place_) armature::rank_local<Made>;
  T& of_process_ = *new T;
};

}  // namespace armci
