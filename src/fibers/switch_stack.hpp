#pragma once

#include <boost/context/detail/fcontext.hpp>

namespace armature::fibers {

/// A stack that was left: Boost.Context's, which also makes new ones.
using LeftStack = boost::context::detail::fcontext_t;

/// Goes on where that stack was left, or at the entry that it was made with. Returns, or the entry
/// is given, the stack that was left for it, and the `data` of the one that left it.
boost::context::detail::transfer_t switch_stack(LeftStack to, void* data);

}  // namespace armature::fibers
