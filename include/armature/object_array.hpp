#pragma once

/// A collection of objects that move: see object_array/array.hpp.
#include "armature/object_array/array.hpp"
#include "armature/object_array/element.hpp"
#include "armature/object_array/index.hpp"
#include "armature/object_array/mailbox.hpp"
