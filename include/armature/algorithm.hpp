#pragma once

/// Collective algorithms on distributed vectors and sections of them; what holds of all of them
/// stands in algorithm/apply.hpp.
#include "armature/algorithm/apply.hpp"
#include "armature/algorithm/compare.hpp"
#include "armature/algorithm/depth_first.hpp"
#include "armature/algorithm/filter.hpp"
#include "armature/algorithm/find.hpp"
#include "armature/algorithm/graph.hpp"
#include "armature/algorithm/group.hpp"
#include "armature/algorithm/merge.hpp"
#include "armature/algorithm/once.hpp"
#include "armature/algorithm/partial_sort.hpp"
#include "armature/algorithm/rearrange.hpp"
#include "armature/algorithm/reduce.hpp"
#include "armature/algorithm/replace.hpp"
#include "armature/algorithm/scan.hpp"
#include "armature/algorithm/scan_by_key.hpp"
#include "armature/algorithm/search.hpp"
#include "armature/algorithm/serial.hpp"
#include "armature/algorithm/sort.hpp"
#include "armature/algorithm/strong_components.hpp"
#include "armature/algorithm/top.hpp"
