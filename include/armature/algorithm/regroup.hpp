#pragma once

// deprecated: include armature/algorithm/group.hpp.
#include "armature/algorithm/group.hpp"
