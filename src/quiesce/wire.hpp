#pragma once

#include "net/network.hpp"
#include "quiesce/records.hpp"
#include "transport/limits.hpp"
#include "transport/links.hpp"

// Words in which processes of several nodes speak with each other while no rank runs.

namespace armature::quiesce {

using net::network;
using transport::Arrived;
using transport::Link;
using transport::Links;

}  // namespace armature::quiesce
