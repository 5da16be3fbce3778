#include "transport/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "base/variable.hpp"

namespace armature::transport {

namespace {

EngineOptions::OneSided one_sided_of(std::string_view word) {
  using OneSided = EngineOptions::OneSided;
  if (word == "on") return OneSided::on;
  if (word == "off") return OneSided::off;
  if (word == "where-rdma") return OneSided::where_rdma;
  base::fail(Errc::start,
             fmt::format("ARMATURE_NET_ONE_SIDED is {}: it may be on, off or where-rdma", word));
}

Limits::Words words_of(std::string_view word) {
  if (word == "probe") return Limits::Words::probed;
  if (word == "engine") return Limits::Words::engine;
  if (word == "records") return Limits::Words::records;
  base::fail(Errc::start,
             fmt::format("ARMATURE_NET_WORDS is {}: it may be probe, engine or records", word));
}

constexpr std::uint64_t large = std::uint64_t{1} << 40;

Limits::Forced forced_of(std::string_view word) {
  if (word == "packet") return Limits::Forced::packet;
  if (word == "stream") return Limits::Forced::stream;
  if (word == "engine") return Limits::Forced::engine;
  base::fail(Errc::start,
             fmt::format("ARMATURE_NET_PROTOCOL is {}: it may be packet, stream or engine", word));
}

void force(Limits& limits, Limits::Forced forced) {
  using OneSided = EngineOptions::OneSided;
  const bool is_engine = forced == Limits::Forced::engine;
  limits.forced = forced;
  limits.copied_max = forced == Limits::Forced::packet ? large : 0;
  limits.one_sided = is_engine ? OneSided::on : OneSided::off;
  limits.words = is_engine ? Limits::Words::engine : Limits::Words::records;
}

/// One setting says how all travels: others beside it would say something else.
void refuse_beside_forced() {
  for (const char* const other :
       {"ARMATURE_NET_COPY_MAX", "ARMATURE_NET_ONE_SIDED", "ARMATURE_NET_WORDS"})
    if (std::getenv(other) != nullptr)
      base::fail(Errc::start,
                 fmt::format("ARMATURE_NET_PROTOCOL and {} exclude each other: unset one", other));
}

struct Chosen {
  static constexpr std::size_t runtime_place = 2;

  Chosen() {
    if (const auto bytes = base::number_variable("ARMATURE_NET_COPY_MAX"))
      protocol.copied_max = std::min(*bytes, large);
    if (const auto count = base::number_variable("ARMATURE_NET_PENDING_MAX"))
      protocol.pending_max = std::clamp(*count, std::uint64_t{1}, Limits::pending_most);
    if (const auto bytes = base::number_variable("ARMATURE_NET_PENDING_BYTES"))
      protocol.pending_bytes_max = std::min(*bytes, large);
    if (const auto bytes = base::number_variable("ARMATURE_NET_REGISTERED_MAX"))
      protocol.registered_max = *bytes;
    if (const char* const word = std::getenv("ARMATURE_NET_ONE_SIDED"))
      protocol.one_sided = one_sided_of(word);
    if (const char* const word = std::getenv("ARMATURE_NET_WORDS")) protocol.words = words_of(word);
    if (const char* const word = std::getenv("ARMATURE_NET_PROTOCOL")) {
      force(protocol, forced_of(word));
      refuse_beside_forced();
    }
  }
  Limits protocol;
};

}  // namespace

const Limits& Limits::get() { return base::state<Chosen>().protocol; }

}  // namespace armature::transport
