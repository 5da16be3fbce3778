#include "engines/hook/card.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::transport {

using Operation = CardThread::Operation;

Card::Card(Sink& sink, const CardOptions& options, std::unique_ptr<Engine> inner)
    : sink_(sink),
      options_(options),
      either_(epoll_create1(EPOLL_CLOEXEC)),
      thread_(options.seed, options.is_rough, options.is_prompt) {
  surround(std::move(inner));
  description_ = std::string(EngineAround::description()) + ", and a card that a thread plays";
  epoll_event readable{.events = EPOLLIN, .data = {}};
  for (const int one : {thread_.descriptor(), EngineAround::descriptor()})
    if (!either_ || (one >= 0 && epoll_ctl(either_.get(), EPOLL_CTL_ADD, one, &readable) != 0))
      base::fail(Errc::start, "ARMATURE_NET_HOOK: " + base::system_text(errno));
}

Card::~Card() {
  for (const std::uint64_t token : thread_.end()) sink_.sent(token);
  if (options_.counts)
    std::fputs(
        fmt::format("armature: the card of process {} has done {} operations\n", getpid(), begun_)
            .c_str(),
        stderr);
}

bool Card::progress() {
  const std::vector<std::uint64_t> done = thread_.take_done();
  for (const std::uint64_t token : done) sink_.sent(token);
  return EngineAround::progress() || !done.empty();
}

void* Card::unpack_rkey(int /*peer*/, std::span<const std::byte> packed) {
  PackedKey key{};
  if (packed.size() != sizeof key) return nullptr;
  std::memcpy(&key, packed.data(), sizeof key);
  auto window = std::make_unique<Window>(key, others_.of(key));
  if (!window->is_mapped()) return nullptr;
  return known_.emplace_back(std::move(window)).get();
}

void Card::forget_rkey(void* rkey) {
  std::erase_if(known_, [&](const auto& window) { return window.get() == rkey; });
}

bool Card::begin(Operation::What what, void* rkey, Runs runs, std::uint64_t token) {
  for (const Run& run : runs)
    begin({.what = what,
           .window = static_cast<const Window*>(rkey),
           .there = run.there,
           .here = run.here,
           .bytes = run.bytes,
           .token = token});
  return true;
}

void Card::atomic(int /*peer*/, void* rkey, std::uint64_t address, const WordAtomic& what,
                  std::uint64_t& found, std::uint64_t token) {
  begin({.what = Operation::What::atomic,
         .window = static_cast<const Window*>(rkey),
         .there = address,
         .here = reinterpret_cast<std::byte*>(&found),
         .bytes = sizeof found,
         .token = token,
         .atomic = what});
}

void Card::forget_memory() {
  registrations_.revoke();
  known_.clear();
  others_.forget();
}

}  // namespace armature::transport
