// Long puts and accumulates between nodes: a stream of records, which name the caller's memory for
// the engine to read (write_stream.hpp). The answers to long gets are such streams, too.
#include <memory>
#include <vector>

#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/write_stream.hpp"
#include "wait/all_of.hpp"

namespace armature::rma {
namespace {

/// Begins a stream. A caller that waits at once needs no room among the streams under way.
template <class Write, class... Arguments>
detail::Request* begin(Finish finish, std::size_t bytes, const char* call,
                       const Arguments&... arguments) {
  if (finish == Finish::now) {
    Write write(arguments...);
    write.begin(Network::Start::now);
    write.wait();
    return nullptr;
  }
  wait::make_room_for_operation(bytes, call);
  auto write = std::make_unique<LaterWrite<Write>>(arguments...);
  write->count(bytes);
  write->begin(Network::Start::beside);
  return write.release();
}

detail::Request* begin_list(const Operation& what, const Iov& pieces, Finish finish) {
  if (pieces.bytes == 0 || pieces.to.empty()) return nullptr;
  return begin<ListWrite>(finish, pieces.bytes * pieces.to.size(), what.call(), what.rank, pieces,
                          what.update);
}

detail::Request* start_streams(const Operation& what, Finish finish) {
  if (what.verb == Verb::get) return start_get(what, finish);
  if (!what.is_list())
    return begin<SubarrayWrite>(finish, what.bytes(), what.call(), what.rank, what.to, what.from,
                                what.subarray, what.update);
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
