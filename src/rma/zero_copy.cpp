// Long puts and accumulates between nodes: a stream of records, which name the caller's memory for
// the engine to read (write_stream.hpp). The answers to long gets are such streams, too.
#include <vector>

#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/write_stream.hpp"
#include "wait/all_of.hpp"

namespace armature::rma {
namespace {

detail::Request* begin_list(const Operation& what, const Iov& pieces, Finish finish) {
  if (pieces.bytes == 0 || pieces.to.empty()) return nullptr;
  return begin_stream<ListWrite>(finish, pieces.bytes * pieces.to.size(), what.call(), what.rank,
                                 pieces, what.update);
}

detail::Request* start_streams(const Operation& what, Finish finish) {
  if (what.verb == Verb::get) return start_get(what, finish);
  if (!what.is_list())
    return begin_stream<SubarrayWrite>(finish, what.bytes(), what.call(), what.rank, what.to,
                                       what.from, what.subarray, what.update);
  if (what.lists.size() == 1) return begin_list(what, what.lists[0], finish);
  std::vector<Handle> writes;
  for (const Iov& pieces : what.lists)
    if (detail::Request* const request = begin_list(what, pieces, finish))
      writes.emplace_back(request);
  return wait::all_of(std::move(writes));
}

}  // namespace

const Protocol zero_copy{.name = "zero copy", .start = start_streams, .start_atomic = nullptr};

}  // namespace armature::rma
