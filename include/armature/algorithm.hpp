#pragma once

/// Collective algorithms on distributed vectors and sections of them; what holds of all of them
/// stands in algorithm/apply.hpp.
#include "armature/algorithm/apply.hpp"
#include "armature/algorithm/find.hpp"
#include "armature/algorithm/group.hpp"
#include "armature/algorithm/once.hpp"
#include "armature/algorithm/reduce.hpp"
#include "armature/algorithm/scan.hpp"
#include "armature/algorithm/sort.hpp"
