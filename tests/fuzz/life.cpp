#include "fuzz/life.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "fuzz/records.hpp"
#include "rma/remote_records.hpp"
#include "transport/packet.hpp"

namespace armature::fuzz {
namespace {

using transport::Record;

struct Counter {
  int calls = 0;
  void add(int n) { calls += n; }
};

/// An input of one record that rank 1 sends to rank 0.
template <class Body>
Bytes input_of(transport::RecordOf kind, const Body& body) {
  const Record record{kind_of(kind), 0, sizeof record + sizeof body, 1, 0};
  Bytes input(sizeof(InputHead) + sizeof record + sizeof body);
  std::memcpy(input.data() + sizeof(InputHead), &record, sizeof record);
  std::memcpy(input.data() + sizeof(InputHead) + sizeof record, &body, sizeof body);
  return input;
}

/// Locks and signals, which the job cannot use here: its processes have their memory at different
/// addresses.
void add_locks(std::vector<Bytes>& corpus, std::uint64_t block) {
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
/// answers when they are asked for back: with numbers of its own, or as it was asked. Process 1
/// also asks for keys of its own back.
void add_keys(std::vector<Bytes>& corpus) {
  constexpr std::uint64_t chunks = 3, serials = 2;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    corpus.push_back(input_of(rma::Kind::key, rma::KeyRecord{.request = 1, .chunk = chunk}));
    for (std::uint64_t serial = 1; serial <= serials; ++serial)
      for (std::uint32_t is_kept = 0; is_kept < 2; ++is_kept)
        corpus.push_back(input_of(
            rma::Kind::given_up,
            rma::GiveUpRecord{.serial = serial, .chunk = chunk, .rank = 0, .is_kept = is_kept}));
    for (std::uint32_t is_kept = 0; is_kept < 2; ++is_kept) {
      Bytes answer = input_of(rma::Kind::given_up, rma::GiveUpRecord{.is_kept = is_kept});
      answer[offsetof(InputHead, twist)] = std::byte{Twist::answers};
      corpus.push_back(std::move(answer));
    }
    corpus.push_back(
        input_of(rma::Kind::give_up,
                 rma::GiveUpRecord{.serial = 1, .chunk = chunk, .rank = 1, .is_kept = 0}));
  }
}

}  // namespace

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

void add_by_hand(std::vector<Bytes>& corpus, std::uint64_t block) {
  add_locks(corpus, block);
  add_keys(corpus);
}

}  // namespace armature::fuzz
