// The program's variables, where other ranks reach them. All ranks have to agree twice: that their
// programs are laid out alike, before memory is asked for; and that each could move its variables.
#include "armature/layer/variables.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/expose.hpp"
#include "armature/layer/symmetric.hpp"
#include "base/fail.hpp"
#include "image/copies.hpp"
#include "image/variables.hpp"
#include "team/agree.hpp"
#include "team/team_state.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {
namespace {

/// The caller's variables. Throws Error(start) where they cannot be symmetric.
image::Variables own_variables(const image::Loaded& program, const space::Mapping& mapping) {
  const space::ControlHeader& job = mapping.header();
  if (image::holds_library(program))
    base::fail(Errc::start, "Armature is a part of the program: link it with the shared libraries");
  image::Variables found = image::variables_of(program);
  if (image::copies() != nullptr) return found;
  if (job.ranks_are_virtual == 0 && job.processes == job.ranks) {
    if (found.bytes > mapping.segment_bytes() / 2)
      base::fail(Errc::start,
                 fmt::format("the program has {} bytes of variables, and a segment {} (armature "
                             "run --segment-size)",
                             found.bytes, mapping.segment_bytes()));
    return found;
  }
  base::fail(Errc::start,
             job.ranks_are_virtual != 0
                 ? "virtual ranks of a process share them (armature run --private-globals=on)"
                 : "ranks of one process share them");
}

/// Calls it and returns why it could not be done, if so, without the words that all errors begin
/// with.
template <class Body>
std::optional<team::Objection> objection_to(Body body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    constexpr std::string_view prefix = "armature: rank ";
    std::string_view said = error.what();
    if (const std::size_t end = said.find(": ", prefix.size());
        said.starts_with(prefix) && end != std::string_view::npos)
      said.remove_prefix(end + 2);
    return team::Objection{error.code(), std::string(said)};
  }
}

std::uint64_t greatest(const Team& all, std::uint64_t number) {
  return allreduce(all, number, [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; });
}

}  // namespace

SymmetricVariables symmetric_variables(const Team& all) {
  constexpr const char* call = "symmetric_variables";
  wait::require_no_handler(wait::this_rank(call), call);
  detail::TeamState& state = all.checked(call);
  const int me = state.space().me();
  image::Variables own;
  auto objection =
      objection_to([&] { own = own_variables(image::Loaded::program(), wait::mapping(call)); });
  if (const auto none = team::first_objection(state, objection, call))
    return {.why_none = none->text};
  if (greatest(all, own.program) != own.program)
    objection = {Errc::start, fmt::format("rank {} runs another program", me)};
  if (const auto none = team::first_objection(state, objection, call))
    return {.why_none = none->text};

  SymmetricVariables made{.mine = own.begin, .place = nullptr, .bytes = own.bytes, .why_none = {}};
  if (const image::Copies* const copies = image::copies()) {
    made.mine = made.place = reinterpret_cast<std::byte*>(
        copies->own_of(me, reinterpret_cast<std::uintptr_t>(own.begin)));
    objection = objection_to([&] { detail::expose(made.place, made.bytes, nullptr); });
  } else {
    if (const auto full = objection_to(
            [&] { made.place = static_cast<std::byte*>(allocate_symmetric(all, made.bytes)); }))
      return {.why_none = full->text};
    objection = objection_to([&] { image::move_variables(own, made.place); });
  }
  // If one rank cannot, those of others stay where they are by now, and nobody reaches them.
  if (const auto none = team::first_objection(state, objection, call))
    return {.why_none = none->text};
  return made;
}

}  // namespace armature::layer
