#pragma once

/// Tasks that are ordered by the data that they read and write, and run where these lie.
#include "armature/task/access.hpp"
#include "armature/task/data.hpp"
#include "armature/task/graph.hpp"
#include "armature/task/parallel_task.hpp"
#include "armature/task/result.hpp"
#include "armature/task/stealing.hpp"
