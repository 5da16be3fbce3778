#pragma once

#include <cstdint>

#include <armature/global_ptr.hpp>

// An event is a word that counts its posts which nobody has waited for (Fortran 2018, 16.10.2.10).

namespace caf {

using Event = armature::global_ptr<std::uint64_t>;

/// Posts the event: what this image has sent before is there when the post is waited for.
void post(Event event);
/// Waits until the event of this image has so many posts, and takes them.
void wait_for(Event event, std::uint64_t posts);
/// The posts that nobody has waited for. Lets others run, for loops that ask until there are some.
[[nodiscard]] std::uint64_t posts_of(Event event);

}  // namespace caf
