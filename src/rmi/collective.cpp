#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "armature/rmi_collective.hpp"
#include "armature/subset.hpp"
#include "base/fail.hpp"

namespace armature::detail {

int root_of(const Team& team, Rank root, const char* call) {
  const int member = team.member(root);
  if (member < 0)
    base::fail(Errc::bad_rank, fmt::format("{}: rank {} cannot be the root: it is no member of the "
                                           "team",
                                           call, static_cast<int>(root)));
  return member;
}

void no_callees(const char* call) {
  base::fail(Errc::bad_argument, fmt::format("{}: there are no ranks to be asked", call));
}

namespace {

/// Goes ahead with the length, so that a short call takes one broadcast.
struct CallBegin {
  std::uint64_t bytes = 0;
  std::array<std::byte, 248> begin;
};

}  // namespace

CollectiveCall::CollectiveCall(const Team& team, int root, std::vector<std::byte> packed)
    : packed_(std::move(packed)) {
  CallBegin head{.bytes = packed_.size(), .begin = {}};
  const auto ahead = [&] { return std::min<std::size_t>(head.bytes, head.begin.size()); };
  std::copy_n(packed_.begin(), ahead(), head.begin.begin());
  broadcast_bytes(team, &head, sizeof head, root);
  packed_.resize(head.bytes);
  std::copy_n(head.begin.begin(), ahead(), packed_.begin());
  if (head.bytes > ahead())
    broadcast_bytes(team, packed_.data() + ahead(), head.bytes - ahead(), root);
}

}  // namespace armature::detail
