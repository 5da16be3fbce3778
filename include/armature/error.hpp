#pragma once

#include <stdexcept>
#include <string>

#include "armature/detail/export.hpp"

namespace armature {

/// The kind of mistake or failure that an Error reports.
enum class Errc {
  bad_rank,       ///< a rank that the job or team does not have
  bad_address,    ///< an address outside what its owner has allocated, or on another node
  bad_argument,   ///< a count, stride, size, type or option that cannot be
  misuse,         ///< a call at the wrong time: before run, twice, on a freed object
  out_of_memory,  ///< memory that cannot be had; the message names what, how much, which limit
  rank_lost,      ///< a rank that this call needs has died
  start,          ///< the job could not be started or joined
  remote,         ///< a method that was called on another rank threw; the message is its own
  object_gone,    ///< a call to an object that is not there, or not there any more
  nesting,        ///< two-way calls made while executing two-way calls, deeper than the limit
  corrupt,        ///< a message that makes no sense: it was not acted on
};

/// Thrown by every call of Armature that cannot do what was asked. The message says which call, on
/// which rank, what was wrong and, where there is a remedy, what to do.
class ARMATURE_API Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message);
  ~Error() override;
  [[nodiscard]] Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

/// The error of a two-way call whose method threw on the other rank.
class ARMATURE_API RemoteError : public Error {
 public:
  RemoteError(Errc code, int rank, const std::string& message);
  ~RemoteError() override;
  /// The rank where it was thrown.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace armature
