#pragma once

/// Distributed arrays of up to eight dimensions, with global indices and sections.
#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/distribution.hpp"
#include "armature/array/elements.hpp"
#include "armature/array/ghosts.hpp"
#include "armature/array/matrix.hpp"
#include "armature/array/range.hpp"
#include "armature/array/reduce.hpp"
#include "armature/array/schedule.hpp"
#include "armature/array/section.hpp"
#include "armature/array/section_schedule.hpp"
#include "armature/array/section_transform.hpp"
#include "armature/array/shift.hpp"
#include "armature/array/view.hpp"
#include "armature/array/where.hpp"
