#pragma once

#include "net/network.hpp"
#include "transport/limits.hpp"
#include "transport/links.hpp"
#include "virtual/records.hpp"

// Words in which processes of several nodes speak with each other while no rank runs.

namespace armature::nodes {

using fibers::Kind;
using net::network;
using transport::Arrived;
using transport::Link;
using transport::Links;

}  // namespace armature::nodes
