#include "message/landing.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "message/records.hpp"
#include "net/network.hpp"
#include "wait/notifier.hpp"

namespace armature::message {
namespace {

using transport::Arrived;

constexpr std::size_t landings_at_once = 8;

/// Says that it looks at a landing for as long as it lives.
class Busy {
 public:
  explicit Busy(Landing& landing) : landing_(landing) {
    landing_.is_busy.store(1, std::memory_order_seq_cst);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { landing_.is_busy.store(0, std::memory_order_release); }

 private:
  Landing& landing_;
};

/// Whether they were the last. Nobody else runs while a landing is busy: who waits for it does
/// nothing else.
bool take(Landing& landing, const BytesRecord& record, std::span<const std::byte> bytes) {
  const Busy busy(landing);
  // A receiver that has given the landing up has no place for the bytes any more.
  if (landing.number.load(std::memory_order_seq_cst) != record.number) return false;
  if (record.offset != landing.came || bytes.size() > landing.bytes - landing.came)
    base::fail(Errc::corrupt,
               fmt::format("{} bytes of a message of {} came at {} instead of {}", bytes.size(),
                           landing.bytes, record.offset, landing.came));
  (void)copy(landing.into, bytes);
  landing.came += bytes.size();
  if (landing.came < landing.bytes) return false;
  landing.is_over.store(1, std::memory_order_release);
  return true;
}

void on_bytes(const Arrived& arrived) {
  const auto record = arrived.head<BytesRecord>();
  const auto bytes = arrived.rest(sizeof record);
  const space::Mapping& mapping = net::network()->mapping();
  const int to = arrived.record.to;
  auto* const landing = reinterpret_cast<Landing*>(record.landing);
  if (record.number == 0 || record.landing % alignof(Landing) != 0 ||
      !mapping.holds(to, record.landing, sizeof(Landing)) ||
      landing->magic != Landing::expected_magic)
    base::fail(Errc::corrupt, fmt::format("process {} sends bytes of a message to rank {} that "
                                          "has no place for them there",
                                          arrived.process, to));
  if (take(*landing, record, bytes)) wait::notify(mapping.slot(to));
}

constexpr std::array<transport::Handling, 1> handlers{{
    {.kind = transport::number_of(Kind::bytes), .handler = on_bytes, .is_of_rank = true},
}};

}  // namespace

const transport::Service service{.name = "message",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {handlers}};

/// The process that the network reaches the rank by has all memory of a rank that is a process or
/// a thread, and the segment of a virtual one.
bool Landings::can_be_written(const Cursor& into) const {
  if (space_.header().ranks_are_virtual == 0) return true;
  const auto is_mine = [&](const void* address, std::size_t bytes) {
    return bytes == 0 ||
           (space_.owner(address) == space_.me() &&
            space_.owner(static_cast<const std::byte*>(address) + bytes - 1) == space_.me());
  };
  const std::span<const iovec> pieces = into.pieces();
  return is_mine(pieces.data(), pieces.size_bytes()) &&
         std::ranges::all_of(pieces,
                             [&](const iovec& one) { return is_mine(one.iov_base, one.iov_len); });
}

Landing* Landings::make(int from, std::size_t bytes, const Cursor& into) {
  if (space_.is_here(from) || net::network() == nullptr || !can_be_written(into)) return nullptr;
  if (free_.empty()) {
    space::AddressSpace::Failure failure;
    void* const memory = space_.allocate(landings_at_once * sizeof(Landing), alignof(Landing),
                                         space::Allocation::Kind::internal, failure);
    if (memory == nullptr) return nullptr;
    free_.reserve(free_.size() + landings_at_once);
    auto* const all = static_cast<Landing*>(memory);
    for (std::size_t i = landings_at_once; i-- > 0;) free_.push_back(new (all + i) Landing);
  }
  Landing& made = *free_.back();
  free_.pop_back();
  made.bytes = bytes;
  made.came = 0;
  made.into = into;
  made.is_over.store(0, std::memory_order_relaxed);
  if (++numbers_ == 0) ++numbers_;
  // Release, and more: who brings bytes finds the rest.
  made.number.store(numbers_, std::memory_order_seq_cst);
  return &made;
}

void Landings::give_back(Landing& landing) {
  landing.number.store(0, std::memory_order_seq_cst);
  while (landing.is_busy.load(std::memory_order_seq_cst) != 0) sched_yield();
  free_.push_back(&landing);
}

}  // namespace armature::message
