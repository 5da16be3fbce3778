#pragma once

#include <cstddef>

#include "armature/rank.hpp"
#include "space/exposures.hpp"
#include "transport/service.hpp"

// The exposed memory of ranks on other nodes, as far as this process knows it, so that it asks once
// and not for each operation. On the owner's side: which processes to tell when an exposure ends. A
// program must not access concealed memory. It may hear of the end late; an access then ends in the
// owner's process, and is no fault of this one.

namespace armature::rma {

[[nodiscard]] bool is_known_to_be_exposed(Rank rank, const void* address, std::size_t bytes);
void note_exposed(Rank rank, const space::Exposures::Range& range);
/// Forgets the exposures of all ranks.
void forget_known_exposures();

/// That process asks for memory which that rank, of this process, exposes. Under the links' lock.
void note_asker(Rank rank, int process);
/// Tells all who have asked that a rank of this process exposes that no more.
void tell_concealed(Rank rank, const space::Exposures::Range& range);

/// The handler of Kind::concealed.
void on_concealed(const transport::Arrived& arrived);

}  // namespace armature::rma
