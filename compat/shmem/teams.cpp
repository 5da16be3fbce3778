#include "teams.hpp"

#include <string>
#include <utility>

#include "calls.hpp"
#include "order.hpp"
#include "state.hpp"

namespace shmem {
namespace {

shmem_team_t kept(armature::Team team, const shmem_team_config_t* config, long mask) {
  if (!team) return SHMEM_TEAM_INVALID;
  const std::lock_guard locked(state().locks.lists);
  const bool has_config = config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0;
  state().teams.push_back({std::move(team), has_config ? *config : shmem_team_config_t{}});
  return &state().teams.back();
}

bool is_predefined(shmem_team_t team) {
  return team == SHMEM_TEAM_INVALID || team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED;
}

}  // namespace

const armature::Team& team_of(shmem_team_t team) {
  if (team == SHMEM_TEAM_WORLD) return world_of("SHMEM_TEAM_WORLD");
  if (team == SHMEM_TEAM_SHARED) return state_of("SHMEM_TEAM_SHARED").shared.team;
  if (team == SHMEM_TEAM_INVALID) refuse("the team is SHMEM_TEAM_INVALID");
  return team->team;
}

int team_my_pe(shmem_team_t team) { return team == SHMEM_TEAM_INVALID ? -1 : team_of(team).rank(); }
int team_n_pes(shmem_team_t team) { return team == SHMEM_TEAM_INVALID ? -1 : team_of(team).size(); }

int team_get_config(shmem_team_t team, long mask, shmem_team_config_t* config) {
  if (team == SHMEM_TEAM_INVALID) return -1;
  if (config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0)
    *config = is_predefined(team) ? shmem_team_config_t{} : team->config;
  return 0;
}

int team_translate_pe(shmem_team_t from, int pe, shmem_team_t to) {
  if (from == SHMEM_TEAM_INVALID || to == SHMEM_TEAM_INVALID) return -1;
  const armature::Team& source = team_of(from);
  if (pe < 0 || pe >= source.size()) return -1;
  return team_of(to).member(source.world_rank(pe));
}

int team_split_strided(shmem_team_t parent, int start, int stride, int size,
                       const shmem_team_config_t* config, long mask, shmem_team_t* made) {
  *made = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID) return -1;
  const CollectiveTurn turn(state());
  const armature::Team& team = team_of(parent);
  const long last = start + static_cast<long>(stride) * (size - 1);
  if (size < 1 || start < 0 || start >= team.size() || last < 0 || last >= team.size() ||
      (stride == 0 && size > 1))
    return -1;
  int number = -1;
  for (int i = 0; i < size; ++i)
    if (start + i * stride == team.rank()) number = i;
  // Members name one start. Where members name several, there are as many teams.
  *made = kept(team.split(number < 0 ? -1 : start, number), config, mask);
  return 0;
}

int team_split_2d(shmem_team_t parent, int columns, const shmem_team_config_t* row_config,
                  long row_mask, shmem_team_t* row, const shmem_team_config_t* column_config,
                  long column_mask, shmem_team_t* column) {
  *row = *column = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID || columns < 1) return -1;
  const CollectiveTurn turn(state());
  const armature::Team& team = team_of(parent);
  const int x = team.rank() % columns, y = team.rank() / columns;
  *row = kept(team.split(y, x), row_config, row_mask);
  *column = kept(team.split(x, y), column_config, column_mask);
  return 0;
}

void team_destroy(shmem_team_t team) {
  if (is_predefined(team)) return;
  State& here = state();
  const CollectiveTurn turn(here);
  const std::lock_guard locked(here.locks.lists);
  here.contexts.remove_if([&](const shmem_ctx_s& one) { return one.of == team; });
  here.teams.remove_if([&](const shmem_team_s& one) { return &one == team; });
}

int ctx_create(long options, shmem_ctx_t* ctx) {
  return team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}

int team_create_ctx(shmem_team_t team, long /*options*/, shmem_ctx_t* ctx) {
  *ctx = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID) return -1;
  shmem_ctx_s made{.of = team, .members = {}};
  if (team != SHMEM_TEAM_WORLD) {
    const armature::Team& of = team_of(team);
    for (int member = 0; member < of.size(); ++member)
      made.members.push_back(of.world_rank(member));
  }
  const std::lock_guard locked(state().locks.lists);
  state().contexts.push_back(std::move(made));
  *ctx = &state().contexts.back();
  return 0;
}

void ctx_destroy(shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  if (ctx == SHMEM_CTX_DEFAULT) refuse("SHMEM_CTX_DEFAULT cannot be destroyed");
  complete_all();
  const std::lock_guard locked(state().locks.lists);
  state().contexts.remove_if([&](const shmem_ctx_s& one) { return &one == ctx; });
}

int ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
  *team = ctx == SHMEM_CTX_INVALID   ? SHMEM_TEAM_INVALID
          : ctx == SHMEM_CTX_DEFAULT ? SHMEM_TEAM_WORLD
                                     : ctx->of;
  return ctx == SHMEM_CTX_INVALID ? -1 : 0;
}

}  // namespace shmem
