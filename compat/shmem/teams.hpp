#pragma once

#include <armature/team.hpp>

#include "shmem.h"
#include "state.hpp"

namespace shmem {

/// Throws Error(bad_argument) for SHMEM_TEAM_INVALID.
[[nodiscard]] const armature::Team& team_of(shmem_team_t team);

/// Calls body(team), and returns 0; not 0 for SHMEM_TEAM_INVALID.
template <class Body>
int in_team(shmem_team_t team, Body&& body) {
  if (team == SHMEM_TEAM_INVALID) return -1;
  const CollectiveTurn turn(state());
  body(team_of(team));
  return 0;
}

/// Calls body(team) in a collective of the active set. Nothing is kept in pSync. Throws as
/// ActiveSets::enter does.
template <class Body>
void in_active(const ActiveSet& set, const long* /*sync*/, Body&& body) {
  State& here = state_of("a routine of active sets");
  const CollectiveTurn turn(here);
  ActiveSets& sets = here.active_sets;
  body(sets.enter(set));
  sets.leave();
}

[[nodiscard]] int team_my_pe(shmem_team_t team);
[[nodiscard]] int team_n_pes(shmem_team_t team);
int team_get_config(shmem_team_t team, long mask, shmem_team_config_t* config);
[[nodiscard]] int team_translate_pe(shmem_team_t from, int pe, shmem_team_t to);
int team_split_strided(shmem_team_t parent, int start, int stride, int size,
                       const shmem_team_config_t* config, long mask, shmem_team_t* made);
int team_split_2d(shmem_team_t parent, int columns, const shmem_team_config_t* row_config,
                  long row_mask, shmem_team_t* row, const shmem_team_config_t* column_config,
                  long column_mask, shmem_team_t* column);
/// Destroys the team, and its contexts.
void team_destroy(shmem_team_t team);

int ctx_create(long options, shmem_ctx_t* ctx);
int team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx);
void ctx_destroy(shmem_ctx_t ctx);
int ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team);

/// Sessions are hints; none is taken yet.
inline void ctx_session_start(shmem_ctx_t /*ctx*/, long /*options*/,
                              const shmem_ctx_session_config_t* /*config*/, long /*mask*/) {}
inline void ctx_session_stop(shmem_ctx_t /*ctx*/) {}

}  // namespace shmem
