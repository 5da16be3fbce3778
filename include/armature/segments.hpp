#pragma once

// deprecated: include armature/iov.hpp.
#include "armature/iov.hpp"
