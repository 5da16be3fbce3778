#pragma once

/// The umbrella header has what most programs need: memory and transfers, atomics, locks and
/// signals, teams, collectives, messages, where ranks are, and remote calls. A program includes
/// each of the other headers by itself:
///
///     collectives_async.hpp            collectives that return at once, and blocks of any lengths
///     virtual.hpp, rank_local.hpp      ranks that are fibers, and variables of each rank
///     rebalance.hpp, checkpoint.hpp    moving ranks by their load; writing them to disk
///     container.hpp, algorithm.hpp     distributed containers, and algorithms on them
///     array.hpp                        distributed arrays with global indices, and sections
///     object_array.hpp                 objects that move; object_array/rebalance.hpp
///     balance.hpp, decide_at_root.hpp  strategies of load balancing; one member plans for all
///     rmi_collective.hpp, subset.hpp   remote calls that a team makes together, or to some ranks
///     promise.hpp                      answers by somebody else than who was asked
///     clock.hpp                        the clock to measure by, also in a simulation
///     mpi.hpp                          joining the job of a program that uses MPI
#include "armature/accumulate.hpp"
#include "armature/aggregate.hpp"
#include "armature/atomic.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"
#include "armature/fence.hpp"
#include "armature/future.hpp"
#include "armature/get.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"
#include "armature/iov.hpp"
#include "armature/locality.hpp"
#include "armature/message.hpp"
#include "armature/module.hpp"
#include "armature/mutex.hpp"
#include "armature/notify.hpp"
#include "armature/piece.hpp"
#include "armature/put.hpp"
#include "armature/put_then.hpp"
#include "armature/rank.hpp"
#include "armature/rmi.hpp"
#include "armature/run.hpp"
#include "armature/signal.hpp"
#include "armature/strided.hpp"
#include "armature/team.hpp"
#include "armature/version.hpp"
#include "armature/wait_until.hpp"
#include "armature/when.hpp"
#include "armature/world.hpp"
