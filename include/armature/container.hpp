#pragma once

/// Containers that are spread over a team and are one object to all of its members.
#include "armature/container/blocks.hpp"
#include "armature/container/graph.hpp"
#include "armature/container/list.hpp"
#include "armature/container/map.hpp"
#include "armature/container/range.hpp"
#include "armature/container/set.hpp"
#include "armature/container/vector.hpp"
