#pragma once

/// This header has what writers of layers need beside the rest of the public interface. A layer is
/// another model of programming (OpenSHMEM, coarrays, MPI), or a library that keeps something of
/// each rank. It adds meaning and spelling; what moves, waits and is checkpointed is Armature's.
///
///     layer/checks.hpp      whether each call is to be checked in full
///     layer/direct.hpp      the inlined half of a transfer: loads and stores of mapped memory
///     layer/message.hpp     tagged messages in contexts of the layer's own
///     layer/rank_state.hpp  what the layer keeps of each rank in its process's memory
///     layer/service.hpp     records of the layer's own, and what goes along with a rank
///     layer/symmetric.hpp   memory at the same place in the segments of several ranks
///     layer/threads.hpp     threads that call while the rank waits
///     layer/variables.hpp   the program's variables as such memory
///     layer/wait.hpp        waiting, with progress, until a condition holds
///
/// Collectives that a layer begins and waits for later are in collectives_async.hpp. They are made
/// of messages, and schedules of messages (src/collective) know nothing of who has written them.
#include "armature/layer/checks.hpp"
#include "armature/layer/direct.hpp"
#include "armature/layer/message.hpp"
#include "armature/layer/rank_state.hpp"
#include "armature/layer/service.hpp"
#include "armature/layer/symmetric.hpp"
#include "armature/layer/threads.hpp"
#include "armature/layer/variables.hpp"
#include "armature/layer/wait.hpp"
