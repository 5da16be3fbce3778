#include "calls.hpp"

#include <string_view>

#include <armature/run.hpp>

namespace shmem {

void fatal(const char* call, const char* why) {
  // The library begins its messages with "armature: rank N: "; here the call comes first.
  constexpr std::string_view prefix = "armature: rank ";
  std::string_view said = why;
  if (const std::size_t end = said.find(": ", prefix.size());
      said.starts_with(prefix) && end != std::string_view::npos)
    said.remove_prefix(end + 2);
  armature::abort(1, std::string(call) + ": " + std::string(said));
}

void refuse(const std::string& why, armature::Errc code) { throw armature::Error(code, why); }

}  // namespace shmem
