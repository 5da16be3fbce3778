#include "rma/engine_transfer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/runtime.hpp"
#include "rma/pending_requests.hpp"
#include "rma/registered_memory.hpp"
#include "rma/remote_records.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::rma {

using net::network;
using transport::Arrived;
using transport::Engine;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

std::uint64_t offset_of(const Network& net, Rank rank, std::uint64_t address) {
  return address - reinterpret_cast<std::uint64_t>(net.mapping().segment(rank));
}

bool is_no_room_now(std::span<const std::byte> key) { return key.size() == no_room_now.size(); }

/// So many transfers go by records before a key is asked for again for which there was no room.
constexpr std::uint32_t transfers_before_retry = 16;

/// A chunk of another rank, as far as it is known.
struct KnownKey {
  EngineKey key;
  bool is_used = false;  // since it was told, or asked for back
  // Where there is no key: how many transfers still go without one; for ever, where the most.
  std::uint32_t without = UINT32_MAX;
};

/// A key that its owner has asked for back, while something that began before may use it.
struct Giving {
  int process;
  GiveUpRecord record;
  void* rkey = nullptr;     // none: this process did not have it
  std::uint64_t until = 0;  // the last that may, in net::EngineParts
};

/// Keys of chunks of other ranks, by rank and number. Under the links' lock.
struct Keys {
  std::map<std::pair<int, std::uint64_t>, KnownKey> known;
  std::vector<Giving> giving;
};
Keys& keys() { return base::state<Keys>(); }

/// A key that was asked for. It is unpacked where the answer comes: the rank that has asked may be
/// in another process when it goes on, which asks again.
class PendingKey final : public PendingRequest {
 public:
  PendingKey(Rank rank, std::uint64_t chunk) : PendingRequest(rank), chunk_(chunk) {}
  ~PendingKey() override { retire(); }

 private:
  bool take(const Arrived& answer) override {
    const std::span<const std::byte> packed = answer.rest(sizeof(std::uint64_t));
    KnownKey told{.key = {nullptr, answer.process}};
    if (is_no_room_now(packed))
      told.without = transfers_before_retry;
    else
      told.key.rkey = network()->links().engine().unpack_rkey(answer.process, packed);
    const auto [place, is_new] =
        keys().known.emplace(std::pair(static_cast<int>(rank()), chunk_), told);
    if (is_new) return true;
    // Another rank of this process has asked, too: one key is enough.
    if (place->second.key.rkey == nullptr)
      place->second = told;
    else if (told.key.rkey != nullptr)
      network()->links().engine().forget_rkey(told.key.rkey);
    return true;
  }
  const std::uint64_t chunk_;
};

/// Nothing where it is to be asked for.
std::optional<EngineKey> known_key(Network& net, Rank rank, std::uint64_t chunk) {
  const Lock locked(net.links().lock());
  const auto found = keys().known.find({rank, chunk});
  if (found == keys().known.end()) return std::nullopt;
  KnownKey& known = found->second;
  if (known.key.rkey != nullptr || known.without == UINT32_MAX) return known.key;
  const EngineKey none = known.key;
  if (--known.without == 0) keys().known.erase(found);
  return none;
}

void answer_giving(const Giving& one, bool is_kept) {
  GiveUpRecord record = one.record;
  record.is_kept = is_kept ? 1 : 0;
  Link& link = network()->links().to(one.process);
  link.post(Kind::given_up, -1, -1, record, Link::Ack::none);
  link.flush();
}

/// A key that was told to a rank that did not wait for it any more is given up as well.
void on_give_up(const Arrived& arrived) {
  Giving one{.process = arrived.process, .record = arrived.head<GiveUpRecord>()};
  const auto found = keys().known.find({one.record.rank, one.record.chunk});
  if (found != keys().known.end() && found->second.key.process == one.process &&
      found->second.key.rkey != nullptr) {
    if (std::exchange(found->second.is_used, false)) return answer_giving(one, true);
    one.rkey = found->second.key.rkey;
    one.until = network()->engine_parts().begun();
    keys().known.erase(found);
  }
  keys().giving.push_back(one);
  (void)give_up_keys();
}

}  // namespace

const std::array<transport::Handling, 1> key_handlers{{
    {.kind = transport::number_of(Kind::give_up), .handler = on_give_up},
}};

bool give_up_keys() {
  std::erase_if(keys().giving, [](const Giving& one) {
    if (network()->engine_parts().any_until(one.until)) return false;
    if (one.rkey != nullptr) network()->links().engine().forget_rkey(one.rkey);
    answer_giving(one, false);
    return true;
  });
  return !keys().giving.empty();
}

EngineKey key_of(Network& net, Rank rank, std::uint64_t address, const char* call) {
  const std::uint64_t chunk = offset_of(net, rank, address) / chunk_bytes;
  for (;;) {
    if (const auto known = known_key(net, rank, chunk)) return *known;
    PendingKey keyed(rank, chunk);
    const KeyRecord record{keyed.number(), chunk};
    ask(net, rank, Kind::key, std::as_bytes(std::span(&record, 1)));
    keyed.wait(call);
  }
}

EngineKey key_in_use(const Network& net, Rank rank, std::uint64_t address) {
  const auto found = keys().known.find({rank, offset_of(net, rank, address) / chunk_bytes});
  if (found == keys().known.end()) return {};
  found->second.is_used = true;
  return found->second.key;
}

std::size_t part_in_chunk(const Network& net, Rank rank, std::uint64_t address, std::size_t bytes) {
  return std::min<std::uint64_t>(bytes, chunk_bytes - offset_of(net, rank, address) % chunk_bytes);
}

UnderWay::UnderWay() {
  sent = [](Sending& me) {
    auto& transfer = static_cast<UnderWay&>(me);
    const int rank = transfer.sender_;
    if (transfer.parts() == 1) transfer.note_end();
    // Release: who sees that it is done sees the bytes. It may be gone then.
    transfer.parts_.fetch_sub(1, std::memory_order_release);
    if (rank >= 0) wait::notify(network()->mapping().slot(rank));
  };
}

/// A transfer counts in the process that is told of its end. Its rank may go to another process
/// while it waits for a key, so counting begins behind that.
std::uint64_t UnderWay::begin(std::size_t parts) {
  if (parts_.fetch_add(parts, std::memory_order_relaxed) == 0) {
    number_ = network()->engine_parts().begin(sender_);
    if (bytes_ != 0) charge_.begin(bytes_);
  }
  return reinterpret_cast<std::uint64_t>(static_cast<Sending*>(this));
}

void UnderWay::take_back(std::size_t parts) {
  if (this->parts() == parts) note_end();
  parts_.fetch_sub(parts, std::memory_order_release);
}

void UnderWay::note_end() {
  charge_.end();
  network()->engine_parts().end(number_);
}

void UnderWay::await(Network& net, std::size_t parts_max, const char* call) const {
  if (parts() <= parts_max) return;
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    if (parts() > parts_max) (void)net.try_poll();
    return parts() <= parts_max;
  });
}

/// Ranks that roll back have begun transfers that may still write to their memory. What comes by
/// records meanwhile is void, as all that they have sent is.
void forget_keys() {
  transport::Links& links = network()->links();
  const net::EngineParts& parts = network()->engine_parts();
  if (parts.any()) links.ignore_all();
  while (parts.any()) (void)links.engine().progress();
  keys().known.clear();
  keys().giving.clear();
}

}  // namespace armature::rma
