#pragma once

/// Views of containers and arrays, and the algorithms on them.
#include "armature/view/algorithms.hpp"
#include "armature/view/all.hpp"
#include "armature/view/array.hpp"
#include "armature/view/as_vector.hpp"
#include "armature/view/choose.hpp"
#include "armature/view/combine.hpp"
#include "armature/view/concepts.hpp"
#include "armature/view/derive.hpp"
#include "armature/view/divide.hpp"
#include "armature/view/rearrange.hpp"
#include "armature/view/search.hpp"
