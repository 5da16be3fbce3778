#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/context/detail/fcontext.hpp>

namespace armature::fibers {

/// A stack that was left. What lies at its top is for switch_stack alone.
using LeftStack = boost::context::detail::fcontext_t;

/// A new one of so many bytes below `top`, on which the entry will run.
LeftStack make_stack(std::byte* top, std::size_t bytes,
                     void (*entry)(boost::context::detail::transfer_t));

/// Goes on where that stack was left, or at the entry that it was made with. Returns, or the entry
/// is given, the stack that was left for it, and the `data` of the one that left it.
boost::context::detail::transfer_t switch_stack(LeftStack to, void* data);

}  // namespace armature::fibers
