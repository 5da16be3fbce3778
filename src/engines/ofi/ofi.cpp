// Packets by libfabric: copied into buffers, sent in fragments, received in buffers.
#include "engines/ofi/ofi.hpp"

#include <sched.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include <rdma/fi_errno.h>

#include "base/clock.hpp"
#include "engines/engine_mark.hpp"

namespace armature::transport {
namespace {

/// Stands in front of the endpoint's name in an address.
struct AddressHeader {
  char mark[sizeof ofi_mark] = {};
  std::uint64_t port = 0;  // of life lines
  char provider[32] = {};  // terminated
};

}  // namespace

Ofi::~Ofi() {
  drain();
  fabric_.close_endpoint();  // before the memory that it may still read
  buffers_.unregister();
  transfers_.unregister();
  memory_.forget_all();
  fabric_.close();
}

/// Waits until libfabric has sent what it still has in buffers of the engine, and what others count
/// as sent. Nothing is reported any more.
void Ofi::drain() {
  constexpr std::uint64_t patience_ns = 100'000'000;
  is_closing_ = true;
  const auto waits_for = [](const std::unique_ptr<OfiPeer>& peer) {
    return peer != nullptr && !peer->lost && peer->under_way > 0;
  };
  const std::uint64_t until_ns = base::now_of_machine_ns() + patience_ns;
  while (std::ranges::any_of(peers_, waits_for) && base::now_of_machine_ns() < until_ns) {
    for (const int number : lives_.look()) peers_[static_cast<std::size_t>(number)]->lost = true;
    if (!take_completions()) sched_yield();
  }
}

std::string Ofi::open(const EngineOptions& options) {
  if (std::string problem = fabric_.open(options); !problem.empty()) return problem;
  const std::span<const std::byte> name = fabric_.name();
  std::string problem =
      lives_.open(fabric_.has_socket_names() ? name : std::span<const std::byte>());
  if (!problem.empty()) return problem;
  AddressHeader header{.port = lives_.port()};
  std::memcpy(header.mark, ofi_mark, sizeof ofi_mark);
  (void)fabric_.provider().copy(header.provider, sizeof header.provider - 1);
  const auto append = [this](const void* bytes, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(bytes);
    address_.insert(address_.end(), first, first + count);
  };
  append(&header, sizeof header);
  append(name.data(), name.size());
  std::random_device random;
  number_ = (std::uint64_t{random()} << 32) | random();
  buffers_.set_length(sizeof(FragmentHeader) + (options.segment != 0 ? options.segment : segment));
  for (std::size_t i = 0; i < receiving; ++i) {
    OfiBuffer* const buffer = buffers_.take(buffers_.length());
    if (buffer == nullptr) return "libfabric cannot register memory: ulimit -l may be too low";
    receive_into(*buffer);
  }
  return open_descriptor();
}

std::string Ofi::open_descriptor() {
  either_ = base::FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  epoll_event readable{.events = EPOLLIN, .data = {}};
  for (const int one : {timer_.open(), lives_.descriptor(), fabric_.descriptor()})
    if (!either_ || epoll_ctl(either_.get(), EPOLL_CTL_ADD, one, &readable) != 0)
      return std::string("epoll: ") + std::strerror(errno);
  return {};
}

const char* Ofi::connect(int peer, std::span<const std::byte> address) {
  const auto index = static_cast<std::size_t>(peer);
  if (!has_ofi_mark(address)) return other_engine;
  AddressHeader header, own;
  if (address.size() <= sizeof header) return "its address is too short";
  std::memcpy(&header, address.data(), sizeof header);
  std::memcpy(&own, address_.data(), sizeof own);
  const std::span<const std::byte> name = address.subspan(sizeof header);
  // libfabric would take its name for one in the format of this one.
  if (std::memcmp(header.provider, own.provider, sizeof own.provider) != 0 ||
      (fabric_.has_socket_names() && name.size() != fabric_.name().size())) {
    header.provider[sizeof header.provider - 1] = '\0';
    problem_ = std::string("it uses ") + header.provider + " of libfabric, this process " +
               own.provider +
               ", or they differ in IPv4 and IPv6: ARMATURE_NET_TRANSPORTS and "
               "ARMATURE_NET_DEVICE may say what all have";
    return problem_.c_str();
  }
  if (peers_.size() <= index) peers_.resize(index + 1);
  dying_.forget(peer);
  if (peers_[index] != nullptr) former_.push_back(std::move(peers_[index]));
  peers_[index] = std::make_unique<OfiPeer>(peer);
  OfiPeer& made = *peers_[index];
  lives_.watch(peer, fabric_.has_socket_names() ? name : std::span<const std::byte>(), header.port);
  if (fi_av_insert(fabric_.addresses(), name.data(), 1, &made.address, 0, nullptr) == 1)
    return nullptr;
  made.lost = true;
  return "libfabric does not take its address";
}

// -- sending --------------------------------------------------------------------------------------

bool Ofi::send(int peer, std::span<const std::byte> head, std::span<const std::byte> body,
               std::uint64_t token) {
  return send_packet(*peers_[static_cast<std::size_t>(peer)],
                     {head, body, {}, token, head.size() + body.size()});
}

bool Ofi::send_parts(int peer, std::span<const std::byte> head, Parts body, std::uint64_t token) {
  std::size_t bytes = head.size();
  for (const std::span<const std::byte> part : body) bytes += part.size();
  return send_packet(*peers_[static_cast<std::size_t>(peer)], {head, {}, body, token, bytes});
}

/// Whether all of it is in buffers, or of no use.
bool Ofi::send_packet(OfiPeer& to, OfiPeer::Waiting packet) {
  if (to.lost) return true;
  if (to.waiting.empty()) {
    bool is_taken = true;
    do is_taken = send_fragment(to, packet);
    while (is_taken && packet.done < packet.bytes);
    if (is_taken || to.lost) return true;
  }
  to.waiting.push_back(packet);
  return false;
}

/// Sends as much of a packet as a buffer holds; whether that was possible.
bool Ofi::send_fragment(OfiPeer& to, OfiPeer::Waiting& packet) {
  if (to.under_way >= under_way_max) return false;
  const std::size_t part =
      std::min(packet.bytes - packet.done, buffers_.length() - sizeof(FragmentHeader));
  // Nothing may tell when libfabric takes something for it again. A rank that has found this out
  // may not look again, and a thread that sleeps has armed the engine before.
  const auto hold_up = [&] {
    to.is_held_up = true;
    timer_.wake_within(retry_ns);
  };
  OfiBuffer* const buffer = buffers_.take(sizeof(FragmentHeader) + part);
  if (buffer == nullptr) return hold_up(), false;
  const FragmentHeader header{number_, packet.done, packet.bytes, packet.head.size()};
  std::memcpy(buffer->memory.get(), &header, sizeof header);
  OfiPeer::Waiting after = packet;
  after.take({buffer->memory.get() + sizeof header, part});
  buffer->to = &to;
  const ssize_t status =
      fi_send(fabric_.endpoint(), buffer->memory.get(), sizeof header + part, buffer->descriptor(),
              to.address, static_cast<OfiOperation*>(buffer));
  to.is_held_up = false;
  if (status != 0) {
    buffers_.give_back(*buffer);
    if (status == -FI_EAGAIN)
      hold_up();
    else
      lose(to, fi_strerror(static_cast<int>(-status)));
    return false;
  }
  ++to.under_way;
  packet = after;
  return true;
}

/// Sends what waits; whether any of it left.
bool Ofi::push(OfiPeer& to) {
  bool any = false;
  while (!to.waiting.empty()) {
    OfiPeer::Waiting& packet = to.waiting.front();
    if (!send_fragment(to, packet)) break;
    any = true;
    if (packet.done < packet.bytes) continue;
    const std::uint64_t token = packet.token;
    to.waiting.pop_front();
    sink_.sent(token);
  }
  while (!to.unbegun.empty()) {
    OfiTransfer& next = *to.unbegun.front();
    to.unbegun.pop_front();
    if (!begin_transfer(to, next)) return to.unbegun.push_front(&next), any;
    any = true;
  }
  return any;
}

// -- one-sided operations -------------------------------------------------------------------------

/// Memory here that cannot be registered, as the limit of locked memory is reached, says nothing of
/// the peer.
bool Ofi::transfer(int peer, bool is_put, void* rkey, Runs runs, std::uint64_t token) {
  OfiPeer& with = *peers_[static_cast<std::size_t>(peer)];
  made_.clear();
  for (const Run& run : runs) {
    OfiTransfer* const made =
        transfers_.make(with, is_put, *static_cast<const OfiKey*>(rkey), run, token);
    if (made != nullptr) {
      made_.push_back(made);
      continue;
    }
    for (OfiTransfer* const before : made_) transfers_.end(*before);
    return false;
  }
  for (OfiTransfer* const made : made_) {
    if (with.lost) {
      transfers_.end(*made);
      sink_.sent(token);
    } else if (!with.unbegun.empty() || !begin_transfer(with, *made)) {
      with.unbegun.push_back(made);
    }
  }
  return true;
}

/// Whether it need not be tried again.
bool Ofi::begin_transfer(OfiPeer& with, OfiTransfer& transfer) {
  const long status = transfers_.begin(transfer);
  if (status == -FI_EAGAIN) return timer_.wake_within(retry_ns), false;
  if (status == 0) return true;
  let_go_.push_back(transfer.token);
  transfers_.end(transfer);
  lose(with, fi_strerror(static_cast<int>(-status)));
  return true;
}

// -- what happens ---------------------------------------------------------------------------------

bool Ofi::progress() {
  bool any = !let_go_.empty();
  for (const std::uint64_t token : std::exchange(let_go_, {})) sink_.sent(token);
  int round = 0;
  while (round < rounds_max && take_completions()) ++round;
  for (std::size_t i = 0; i < peers_.size(); ++i)
    if (OfiPeer* const peer = peers_[i].get(); peer != nullptr && peer->has_waiting())
      any = push(*peer) || any;
  look_for_deaths(round == 0);
  for (OfiBuffer* const buffer : std::exchange(unposted_, {})) receive_into(*buffer);
  // A thread that sleeps on the descriptor is to continue where this has stopped.
  if (round == rounds_max) timer_.wake_in(1);
  return any || round > 0;
}

bool Ofi::arm() {
  unlooked_ = unlooked_max;              // whoever sleeps is woken by a death, too
  bool is_held_up = !unposted_.empty();  // libfabric may take it later
  for (const auto& peer : peers_)
    is_held_up = is_held_up || (peer != nullptr && peer->is_to_be_tried_again());
  timer_.wake_in(is_held_up ? retry_ns : dying_.empty() ? 0 : Dying::look_ns);
  return let_go_.empty() && fabric_.may_sleep();
}

bool Ofi::take_completions() {
  fi_cq_msg_entry entries[16];
  const ssize_t count = fi_cq_read(fabric_.completions(), entries, std::size(entries));
  if (count == -FI_EAVAIL) take_error();
  for (ssize_t i = 0; i < count; ++i)
    complete(*static_cast<OfiOperation*>(entries[i].op_context), entries[i].len);
  return count > 0 || count == -FI_EAVAIL;
}

void Ofi::complete(OfiOperation& operation, std::size_t bytes) {
  if (operation.is_transfer) {
    auto& transfer = static_cast<OfiTransfer&>(operation);
    const std::uint64_t token = transfer.token;
    transfers_.end(transfer);
    if (!is_closing_) sink_.sent(token);
    return;
  }
  auto& buffer = static_cast<OfiBuffer&>(operation);
  if (OfiPeer* const to = std::exchange(buffer.to, nullptr)) {
    --to->under_way;
    return buffers_.give_back(buffer);
  }
  if (!is_closing_)
    fragments_.take({buffer.memory.get(), std::min(bytes, buffer.bytes)},
                    [&](std::span<const std::byte> head, std::span<const std::byte> body) {
                      sink_.received(head, body);
                    });
  receive_into(buffer);
}

/// An operation that has failed. What is longer than a buffer is no fragment of ours.
void Ofi::take_error() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(fabric_.completions(), &entry, 0) != 1 || entry.op_context == nullptr) return;
  auto& operation = *static_cast<OfiOperation*>(entry.op_context);
  if (operation.is_transfer) {
    // First: who finds that it has ended looks whether the peer is lost.
    lose(*static_cast<OfiTransfer&>(operation).with, fi_strerror(entry.err));
    return complete(operation, 0);
  }
  auto& buffer = static_cast<OfiBuffer&>(operation);
  OfiPeer* const to = std::exchange(buffer.to, nullptr);
  if (to == nullptr) return receive_into(buffer);
  --to->under_way;
  buffers_.give_back(buffer);
  lose(*to, fi_strerror(entry.err));
}

void Ofi::receive_into(OfiBuffer& buffer) {
  buffer.to = nullptr;
  if (fi_recv(fabric_.endpoint(), buffer.memory.get(), buffer.bytes, buffer.descriptor(),
              FI_ADDR_UNSPEC, static_cast<OfiOperation*>(&buffer)) != 0)
    unposted_.push_back(&buffer);
}

// -- peers that are gone --------------------------------------------------------------------------

/// The end of a process is noticed at once, and reported when what it has sent before has come.
/// Where there is always something else to do, that costs little.
void Ofi::look_for_deaths(bool is_idle) {
  unlooked_ += is_idle ? 4 : 1;
  if (dying_.empty() && unlooked_ < unlooked_max) return;
  unlooked_ = 0;
  for (const int number : lives_.look()) dying_.add(number);
  if (dying_.empty()) return;
  timer_.wake_within(Dying::look_ns);  // whoever looks now may not look again
  for (const int number : dying_.due(base::now_of_machine_ns()))
    lose(*peers_[static_cast<std::size_t>(number)], "the process has ended");
}

void Ofi::lose(OfiPeer& peer, const char* why) {
  if (std::exchange(peer.lost, true) || is_closing_) return;
  let_go(peer);
  sink_.lost(peer.number, why);
}

/// Reports what waits for it by the next progress().
void Ofi::let_go(OfiPeer& peer) {
  for (const OfiPeer::Waiting& packet : std::exchange(peer.waiting, {}))
    let_go_.push_back(packet.token);
  for (OfiTransfer* const transfer : std::exchange(peer.unbegun, {})) {
    let_go_.push_back(transfer->token);
    transfers_.end(*transfer);
  }
  if (!let_go_.empty()) timer_.wake_in(1);
}

void Ofi::drop(int peer) {
  OfiPeer& dropped = *peers_[static_cast<std::size_t>(peer)];
  dropped.lost = true;
  lives_.forget(peer);
  let_go(dropped);
}

}  // namespace armature::transport

extern "C" __attribute__((visibility("default"))) armature::transport::Engine* armature_open_engine(
    armature::transport::Sink& sink, const armature::transport::EngineOptions& options,
    char* problem, std::size_t problem_bytes) {
  auto engine = std::make_unique<armature::transport::Ofi>(sink);
  const std::string wrong = engine->open(options);
  if (wrong.empty()) return engine.release();
  std::snprintf(problem, problem_bytes, "%s", wrong.c_str());
  return nullptr;
}
