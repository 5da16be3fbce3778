#pragma once

#include <cstddef>

#include "armature/rank.hpp"
#include "space/exposures.hpp"
#include "transport/service.hpp"

// What this process knows of the memory that ranks on other nodes expose, so that it asks once and
// not for each operation; and, on the owner's side, whom to tell when that ends. A program must not
// reach what is concealed: that it hears of it late is no fault of its, and then ends in the
// owner's process.

namespace armature::rma {

[[nodiscard]] bool is_known_to_be_exposed(Rank rank, const void* address, std::size_t bytes);
void note_exposed(Rank rank, const space::Exposures::Range& range);
/// Of all ranks.
void forget_known_exposures();

/// That process asks for memory which that rank, of this process, exposes. Under the links' lock.
void note_asker(Rank rank, int process);
/// Tells all who have asked that a rank of this process exposes that no more.
void tell_concealed(Rank rank, const space::Exposures::Range& range);

/// The handler of Kind::concealed.
void on_concealed(const transport::Arrived& arrived);

}  // namespace armature::rma
