// The job that inputs are played to. It is a real one: two processes in this one, of one rank each,
// which do a bit of everything. Then the second falls silent, and process 0 gets what the fuzzer
// says. It is told under the links' lock, so that none of its threads looks meanwhile.
//
// A put to any place of the rank's memory is no mistake of a packet, even where our own structures
// lie. So memory is put back as it was after whatever may have written elsewhere than in the block
// that the job's puts are for.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>
#include <thread>

#include "armature/armature.hpp"
#include "base/runtime.hpp"
#include "fuzz/input.hpp"
#include "harness/two_processes.hpp"
#include "net/network.hpp"
#include "quiesce/records.hpp"
#include "rma/copied.hpp"
#include "rma/registered_memory.hpp"
#include "rma/remote_records.hpp"
#include "transport/packet.hpp"
#include "transport/services_here.hpp"

namespace armature::fuzz {
namespace {

using transport::PacketHeader;
using transport::Record;

constexpr std::size_t block_bytes = std::size_t{64} * 1024;

struct Counter {
  int calls = 0;
  void add(int n) { calls += n; }
};

/// Does what both ranks do, so that records of many kinds go from 1 to 0.
void do_everything(World& world, std::byte* block) {
  const Rank other(1 - world.rank());
  send(other, 0, std::as_bytes(std::span(&block, 1)));
  std::byte* there = nullptr;
  (void)receive(other, 0, std::as_writable_bytes(std::span(&there, 1)));
  const global_ptr<long> to{other, reinterpret_cast<long*>(there)};
  const global_ptr<double> reals{other, reinterpret_cast<double*>(there + 4096)};
  std::vector<long> few(10, 7), many(5000, 8);
  put(to, few);
  put(to, many);
  get(few, to);
  get(many, to);
  accumulate(reals, std::vector<double>(20, 1.5), {.scale = 0.5});
  (void)fetch_add(to, 3L);
  (void)swap(to, 4L);
  (void)compare_swap(to, 4L, 5L);
  constexpr std::array<std::size_t, 2> counts{16, 3};
  constexpr std::array<std::ptrdiff_t, 1> strides{64};
  const Strided shape{counts, strides, strides};
  std::vector<std::byte> rows(4096);
  put_strided(to, rows.data(), shape);
  get_strided(rows.data(), to, shape);
  const void* from_here[] = {rows.data(), rows.data() + 64};
  void* pieces_there[] = {there + 128, there + 512};
  const Iov put_pieces{.to = pieces_there, .from = from_here, .bytes = 24};
  put_vector(other, std::span(&put_pieces, 1));
  const void* pieces_from[] = {there + 128, there + 512};
  void* into_here[] = {rows.data(), rows.data() + 64};
  const Iov get_pieces{.to = into_here, .from = pieces_from, .bytes = 24};
  get_vector(other, std::span(&get_pieces, 1));
  notify(other);
  (void)wait_notify(other);
  const std::vector<std::byte> message(100), long_message(100'000);
  std::vector<std::byte> into(100'000);
  Handle receiving = receive_async(other, 2, std::span(into));
  world.barrier();
  send(other, 1, message);
  send(other, 2, long_message);
  (void)receive(other, 1, std::span(into).first(100));
  receiving.wait();
  shared<Counter> counter(world);
  counter.async(other, &Counter::add, 1);
  rmi_fence(world);
  (void)allreduce(world, 3L);
  world.barrier();
}

/// The state of the job that stays.
struct Playing {
  harness::Wire wire;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable change;
  std::vector<Bytes> corpus;         // of process 1 to process 0
  bool is_ready = false;             // rank 0 has done all, and process 1 is silent
  base::Runtime* runtime = nullptr;  // of process 0
  std::byte* block = nullptr;
  std::uint64_t secret = 0;
  Tally tally;
};

Playing& playing() {
  static auto* const all = new Playing;  // for ever: its threads do not end
  return *all;
}

/// Keeps all of rank 0's memory but the block.
class Kept {
 public:
  Kept(std::byte* heap, std::size_t bytes, std::byte* block)
      : heap_(heap), block_(block), as_it_was_(heap, heap + bytes) {}
  [[nodiscard]] bool may_hold(std::uint64_t address) const {
    const auto begin = reinterpret_cast<std::uint64_t>(heap_);
    const auto block = reinterpret_cast<std::uint64_t>(block_);
    return address >= begin && address < begin + as_it_was_.size() &&
           (address < block || address >= block + block_bytes);
  }
  void put_back() {
    const auto before = static_cast<std::size_t>(block_ - heap_);
    put_back(0, before);
    put_back(before + block_bytes, as_it_was_.size());
  }

 private:
  void put_back(std::size_t from, std::size_t to) {
    if (from < to) std::memcpy(heap_ + from, as_it_was_.data() + from, to - from);
  }
  std::byte* heap_;
  std::byte* block_;
  Bytes as_it_was_;
};

/// f(record, body) for each whole record.
template <class F>
void for_each_record(std::span<const std::byte> records, F f) {
  while (records.size() >= sizeof(Record)) {
    Record record;
    std::memcpy(&record, records.data(), sizeof record);
    const std::size_t length = std::size_t{record.bytes} + record.filler;
    if (record.bytes < sizeof record || length > records.size()) return;
    f(record, records.subspan(sizeof record, record.bytes - sizeof record));
    records = records.subspan(length);
  }
}

bool has_record(std::span<const std::byte> records, transport::RecordKind kind) {
  bool any = false;
  for_each_record(records, [&](const Record& record, auto) { any = any || record.kind == kind; });
  return any;
}

/// Whether an input says that this process has been given up, which ends it at once.
bool ends_the_process(std::span<const std::byte> records) {
  return has_record(records, net::network()->links().services().kind_of(quiesce::Kind::lost));
}

/// Whether an input says too early that process 1 leaves. After that nobody asks it for keys any
/// more, and all memory makes room. So process 1 must have given up a key before.
bool leaves_too_early(std::span<const std::byte> records) {
  return rma::network_counters().evicted == 0 &&
         has_record(records, net::network()->links().services().kind_of(transport::Kind::bye));
}

class Player {
 public:
  explicit Player(std::byte* block)
      : links_(net::network()->links()), kept_(heap(), extent(), block) {
    for (const transport::Service* const one : links_.services().all())
      playing().tally.kinds.emplace_back(one->records_count);
  }

  void play(std::span<const std::byte> input) {
    InputHead head;
    if (input.size() < sizeof head) return;
    std::memcpy(&head, input.data(), sizeof head);
    input = input.subspan(sizeof head);
    const std::size_t lent = std::min<std::size_t>(head.lent_bytes, input.size());
    if (input.size() - lent > transport::Link::packet_bytes) return;
    const auto records = input.first(input.size() - lent);
    if (ends_the_process(records) || leaves_too_early(records)) return;
    take(head, records, input.last(lent));
    transport::Link& link = links_.to(1);
    link.ignore(false);  // what no memory was found for
    links_.flush_all();
    if (++since_put_back_ >= 256 || writes_elsewhere(records)) put_back();
  }

 private:
  /// The memory of rank 0 that others may reach.
  static std::byte* heap() {
    const space::Mapping& mapping = net::network()->mapping();
    return mapping.segment(0) + mapping.heap_offset();
  }
  static std::size_t extent() {
    const space::Mapping& mapping = net::network()->mapping();
    return static_cast<std::size_t>(mapping.extent(0));
  }

  void take(const InputHead& head, std::span<const std::byte> records,
            std::span<const std::byte> lent) {
    transport::Link& link = links_.to(1);
    PacketHeader header{.sequence = static_cast<std::uint32_t>(link.received() + 1) +
                                    static_cast<std::uint32_t>(head.sequence),
                        .acknowledged = static_cast<std::uint32_t>(link.acknowledged()) +
                                        static_cast<std::uint32_t>(head.acknowledged),
                        .process = head.is_from_nobody == 1 ? 77 : 1,
                        .flags = head.flags};
    Bytes packet(sizeof header + records.size());
    std::memcpy(packet.data(), &header, sizeof header);
    if (!records.empty())
      std::memcpy(packet.data() + sizeof header, records.data(), records.size());
    header.sum = transport::packet_sum(
        packet, {.secret = playing().secret, .to = 0, .lent_bytes = lent.size()});
    std::memcpy(packet.data(), &header, sizeof header);
    Tally& tally = playing().tally;
    ++tally.inputs;
    bool is_handled = false;
    try {
      is_handled = links_.take(packet, lent) != nullptr;
    } catch (const Error& error) {
      if (error.code() != Errc::corrupt && error.code() != Errc::out_of_memory) throw;
      ++tally.corrupt;
    }
    for_each_record(records, [&](const Record& record, auto) {
      if (record.kind.service >= tally.kinds.size() ||
          record.kind.number >= tally.kinds[record.kind.service].size())
        return;
      Tally::Kind& kind = tally.kinds[record.kind.service][record.kind.number];
      ++kind.played;
      kind.handled += is_handled ? 1 : 0;
    });
  }

  /// Whether one of them may have written outside of the block.
  [[nodiscard]] bool writes_elsewhere(std::span<const std::byte> records) const {
    const auto& services = links_.services();
    bool any = false;
    for_each_record(records, [&](const Record& record, std::span<const std::byte> body) {
      const auto is_one_of = [&](std::initializer_list<rma::Kind> kinds) {
        return std::ranges::any_of(
            kinds, [&](rma::Kind kind) { return record.kind == services.kind_of(kind); });
      };
      any = any || is_one_of({rma::Kind::write, rma::Kind::pieces});
      if (any || is_one_of({rma::Kind::get, rma::Kind::gather, rma::Kind::check, rma::Kind::key}))
        return;  // these only read
      for (std::size_t at = 0; at + sizeof(std::uint64_t) <= body.size(); at += 4) {
        std::uint64_t word = 0;
        std::memcpy(&word, body.data() + at, sizeof word);
        any = any || kept_.may_hold(word);
      }
    });
    return any;
  }

  void put_back() {
    since_put_back_ = 0;
    kept_.put_back();
  }

  transport::Links& links_;
  Kept kept_;
  std::size_t since_put_back_ = 0;
};

/// An input of one record that rank 1 sends to rank 0.
template <class Body>
Bytes input_of(transport::RecordOf kind, const Body& body) {
  const Record record{net::network()->links().services().kind_of(kind), 0,
                      sizeof record + sizeof body, 1, 0};
  Bytes input(sizeof(InputHead) + sizeof record + sizeof body);
  std::memcpy(input.data() + sizeof(InputHead), &record, sizeof record);
  std::memcpy(input.data() + sizeof(InputHead) + sizeof record, &body, sizeof body);
  return input;
}

/// Records that the job cannot send here, as its processes have their memory at different
/// addresses.
void add_by_hand(std::vector<Bytes>& corpus, std::uint64_t block) {
  constexpr std::uint64_t token = 2;  // of rank 1
  const rma::LockRecord lock{.request = 1, .address = block + 1024, .token = token};
  corpus.push_back(input_of(rma::Kind::lock, lock));
  corpus.push_back(input_of(rma::Kind::unlock, lock));
  corpus.push_back(input_of(rma::Kind::leave_lock, lock));
  const rma::SignalRecord signal{
      .address = block + 2048, .value = 1, .code = rma::AtomicCode::fetch_add, .unused = 0};
  corpus.push_back(input_of(rma::Kind::signal, signal));
}

/// Keys of rank 0's memory, of which two chunks may be registered at a time, and what process 1
/// answers when they are asked for back. Process 1 also asks for keys of its own back.
void add_keys(std::vector<Bytes>& corpus) {
  constexpr std::uint64_t chunks = 3, serials = 6;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    corpus.push_back(input_of(rma::Kind::key, rma::KeyRecord{.request = 1, .chunk = chunk}));
    for (std::uint64_t serial = 1; serial <= serials; ++serial)
      for (std::uint32_t is_kept = 0; is_kept < 2; ++is_kept)
        corpus.push_back(input_of(
            rma::Kind::given_up,
            rma::GiveUpRecord{.serial = serial, .chunk = chunk, .rank = 0, .is_kept = is_kept}));
    corpus.push_back(
        input_of(rma::Kind::give_up,
                 rma::GiveUpRecord{.serial = 1, .chunk = chunk, .rank = 1, .is_kept = 0}));
  }
}

void live(World& world) {
  // Behind all else, so that what goes beyond it is nobody's.
  const auto block = world.allocate_local<std::byte>(block_bytes);
  do_everything(world, block.address());
  if (world.rank() == 0) {
    Playing& all = playing();
    const std::lock_guard held(all.mutex);
    all.block = block.address();
    all.runtime = &base::Runtime::here();
    add_by_hand(all.corpus, reinterpret_cast<std::uint64_t>(block.address()));
    add_keys(all.corpus);
    all.is_ready = true;
    all.change.notify_all();
  }
  for (;;) pause();
}

Bytes input_of(const harness::Wire::Packet& packet) {
  const Bytes& records = packet.head.empty() ? packet.body : packet.head;
  const Bytes lent = packet.head.empty() ? Bytes() : packet.body;
  const InputHead head{.lent_bytes = static_cast<std::uint32_t>(lent.size())};
  Bytes input(sizeof head);
  std::memcpy(input.data(), &head, sizeof head);
  input.insert(input.end(), records.begin() + sizeof(PacketHeader), records.end());
  input.insert(input.end(), lent.begin(), lent.end());
  return input;
}

}  // namespace

std::vector<Bytes> begin_job() {
  Playing& all = playing();
  setenv("ARMATURE_NET_REGISTERED_MAX", std::to_string(2 * rma::chunk_bytes).c_str(), 1);
  all.wire.registers_memory = true;
  all.wire.passes = [&](std::size_t to, const harness::Wire::Packet& packet) {
    const std::lock_guard held(all.mutex);
    if (all.is_ready) return false;
    if (to == 0) all.corpus.push_back(input_of(packet));
    return true;
  };
  all.thread = std::thread([&] { harness::run_two_processes(live, all.wire); });
  all.thread.detach();
  std::unique_lock held(all.mutex);
  all.change.wait(held, [&] { return all.is_ready; });
  const Bytes& secret = all.wire.values.at({0, "net.secret"});
  std::memcpy(&all.secret, secret.data(), sizeof all.secret);
  return all.corpus;
}

// The caller is a thread of process 0 that polls, and keeps others from it.
void play(std::span<const std::byte> input) {
  static const base::UseRuntime used(*playing().runtime);
  static const transport::Links::Lock locked(net::network()->links().lock());
  static Player player(playing().block);
  player.play(input);
}

const Tally& tally() {
  Tally& tally = playing().tally;
  const space::NetworkCounters& counters = rma::network_counters();
  tally.memory = {.registered = counters.registered,
                  .reused = counters.reused,
                  .evicted = counters.evicted,
                  .refused = counters.refused};
  return tally;
}

const char* name_of_service(std::size_t service) {
  return net::network()->links().services().all().at(service)->name;
}

}  // namespace armature::fuzz
