#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rma/iov_cursor.hpp"
#include "transport/links.hpp"

namespace armature::rma {

/// Answers the request of a get by that many bytes. Where nobody else has them, they are `held`
/// until they are sent. Under the links' lock.
void answer(const transport::Arrived& request, std::uint64_t number, IovCursor from,
            std::size_t bytes, std::vector<std::byte> held = {});
/// Answers from memory that only routines touch: what they have read is sent.
void answer_held(const transport::Arrived& request, std::uint64_t number,
                 std::vector<std::byte> bytes);
/// From now on nobody waits for the answers that are under way.
void give_up_answers();

}  // namespace armature::rma
