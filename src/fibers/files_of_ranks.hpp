#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "armature/rank.hpp"
#include "fibers/host_process.hpp"

// The files that ranks have open go where the ranks go, as malloc's library knows of them
// (interpose/open_files.hpp). Functions of a Service, and what the scheduler does beside them.

namespace armature::fibers {

bool keeps_files(Rank rank);
void pack_files(Rank rank, std::vector<std::byte>& to);
/// Throws Error(bad_argument) when a file cannot be opened, naming the rank and the file.
void unpack_files(Rank rank, std::span<const std::byte> from);
void forget_files(Rank rank);

/// The reason why a file that the rank has open cannot be opened again elsewhere, naming it; empty:
/// there is none.
std::string why_not_reopen(const RankFiber& fiber);
/// Writes what the rank's streams hold: it has ended.
void end_files(const RankFiber& fiber);
/// Whether this process has files open that ranks have left here.
bool some_files_are_left();
/// Closes them where their ranks have arrived elsewhere.
void close_files_left(const HostProcess& host);

}  // namespace armature::fibers
