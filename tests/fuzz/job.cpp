// The job that inputs are played to. It is a real one: two processes in this one, of one rank each,
// which do a bit of everything. Then the second falls silent, and process 0 gets what the fuzzer
// says. It is told under the links' lock, so that none of its threads looks meanwhile.
//
// A put to any place of the rank's memory is no mistake of a packet, even where our own structures
// lie. So memory is put back as it was after whatever may have written elsewhere than in the block
// that the job's puts are for.
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <string>
#include <thread>

#include "armature/armature.hpp"
#include "base/runtime.hpp"
#include "fuzz/input.hpp"
#include "fuzz/life.hpp"
#include "fuzz/records.hpp"
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
  std::uint64_t inputs_before_leaving = 0;
  std::deque<rma::GiveUpRecord> questions;  // of process 0, without an answer yet
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

/// Whether an input says that this process has been given up, which ends it at once.
bool ends_the_process(std::span<const std::byte> records) {
  return has_record(records, kind_of(quiesce::Kind::lost));
}

/// Whether an input says too early that process 1 leaves. After that nobody asks it for keys any
/// more, and all memory makes room.
bool leaves_too_early(std::span<const std::byte> records) {
  return playing().tally.inputs < playing().inputs_before_leaving &&
         has_record(records, kind_of(transport::Kind::bye));
}

/// Whether an input asks for more than the job's transfers do. A get may name the same bytes again
/// and again, and what carries the answer here takes all at once.
bool asks_for_much(std::span<const std::byte> records) {
  constexpr std::size_t bytes_max = std::size_t{256} * 1024;
  bool any = false;
  for_each_record(records, [&](const Record& record, std::span<const std::byte> body) {
    std::size_t bytes = 1;
    bool is_much = false;
    const auto times = [&](std::uint64_t many) {
      is_much = __builtin_mul_overflow(bytes, many, &bytes) || is_much;
    };
    if (rma::GetRecord get{}; record.kind == kind_of(rma::Kind::get)) {
      std::memcpy(&get, body.data(), std::min(sizeof get, body.size()));
      times(get.row_bytes);
      for (std::size_t level = 0; level < std::min(get.levels, std::size(get.level)); ++level)
        times(get.level[level].count);
    } else if (rma::GatherRecord gather{}; record.kind == kind_of(rma::Kind::gather)) {
      std::memcpy(&gather, body.data(), std::min(sizeof gather, body.size()));
      times(gather.piece_bytes);
      times(gather.count);
    }
    any = any || (!is_much && bytes > bytes_max);  // what is beyond all bounds is refused
  });
  return any;
}

/// Remembers what process 0 asks process 1 for.
void note_questions(const harness::Wire::Packet& packet) {
  const std::span<const std::byte> all = packet.head.empty() ? packet.body : packet.head;
  for_each_record(all.subspan(sizeof(PacketHeader)), [](const Record& record, auto body) {
    if (record.kind != kind_of(rma::Kind::give_up)) return;
    std::memcpy(&playing().questions.emplace_back(), body.data(), sizeof(rma::GiveUpRecord));
  });
}

/// Makes what is given up in the packet what process 0 has asked for.
void answer_questions(Bytes& packet) {
  std::deque<rma::GiveUpRecord>& questions = playing().questions;
  const auto records = std::span<const std::byte>(packet).subspan(sizeof(PacketHeader));
  for_each_record(records, [&](const Record& record, std::span<const std::byte> body) {
    rma::GiveUpRecord answer{};
    if (record.kind != kind_of(rma::Kind::given_up) || body.size() < sizeof answer ||
        questions.empty())
      return;
    std::memcpy(&answer, body.data(), sizeof answer);
    questions.front().is_kept = answer.is_kept;
    std::memcpy(packet.data() + (body.data() - packet.data()), &questions.front(), sizeof answer);
    questions.pop_front();
    ++playing().tally.answered;
  });
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
    if (ends_the_process(records) || leaves_too_early(records) || asks_for_much(records)) return;
    const bool was_early = take(head, records, input.last(lent));
    transport::Link& link = links_.to(1);
    link.ignore(false);  // what no memory was found for
    links_.flush_all();
    if (++since_put_back_ >= 256 || was_early || writes_elsewhere(records)) put_back();
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

  /// Returns whether packets were due behind it that had come early.
  bool take(const InputHead& head, std::span<const std::byte> records,
            std::span<const std::byte> lent) {
    transport::Link& link = links_.to(1);
    PacketHeader header{.sequence = static_cast<std::uint32_t>(link.received() + 1) +
                                    static_cast<std::uint32_t>(head.sequence),
                        .acknowledged = static_cast<std::uint32_t>(link.acknowledged()) +
                                        static_cast<std::uint32_t>(head.acknowledged),
                        .process = head.twist == from_nobody ? 77 : 1,
                        .flags = head.flags};
    Bytes packet(sizeof header + records.size());
    if (!records.empty())
      std::memcpy(packet.data() + sizeof header, records.data(), records.size());
    if (head.twist == answers) answer_questions(packet);
    std::memcpy(packet.data(), &header, sizeof header);
    header.sum = transport::packet_sum(
        packet, {.secret = playing().secret, .to = 0, .lent_bytes = lent.size()});
    std::memcpy(packet.data(), &header, sizeof header);
    Tally& tally = playing().tally;
    ++tally.inputs;
    transport::Link* due = nullptr;
    bool is_handled = false, was_early = false;
    try {
      due = links_.take(packet, lent);
      is_handled = due != nullptr;
      while (due != nullptr && (due = links_.take(*due)) != nullptr) was_early = true;
    } catch (const Error& error) {
      if (error.code() != Errc::corrupt && error.code() != Errc::out_of_memory) throw;
      ++tally.corrupt;
      was_early = was_early || is_handled;
    }
    tally.early += was_early ? 1 : 0;
    for_each_record(records, [&](const Record& record, auto) {
      if (record.kind.service >= tally.kinds.size() ||
          record.kind.number >= tally.kinds[record.kind.service].size())
        return;
      Tally::Kind& kind = tally.kinds[record.kind.service][record.kind.number];
      ++kind.played;
      kind.handled += is_handled ? 1 : 0;
    });
    return was_early;
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

std::vector<Bytes> begin_job(std::uint64_t inputs_before_leaving) {
  Playing& all = playing();
  all.inputs_before_leaving = inputs_before_leaving;
  setenv("ARMATURE_NET_REGISTERED_MAX", std::to_string(2 * rma::chunk_bytes).c_str(), 1);
  all.wire.registers_memory = true;
  all.wire.passes = [&](std::size_t to, const harness::Wire::Packet& packet) {
    const std::lock_guard held(all.mutex);
    if (!all.is_ready && to == 0) all.corpus.push_back(input_of(packet));
    if (all.is_ready && to == 1) note_questions(packet);
    return !all.is_ready;
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
  static Player* const player = [] {
    (void)new base::UseRuntime(*playing().runtime);
    (void)new transport::Links::Lock(net::network()->links().lock());
    return new Player(playing().block);
  }();
  player->play(input);
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
