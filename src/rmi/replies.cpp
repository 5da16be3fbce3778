#include "rmi/replies.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "rmi/blocks.hpp"
#include "rmi/remote_replies.hpp"

namespace armature::rmi {

using detail::Reply;

void Replies::grow() {
  constexpr std::size_t slots = 4096 / sizeof(Reply);
  space::AddressSpace::Failure failure;
  void* memory =
      space_.allocate(slots * sizeof(Reply), 64, space::Allocation::Kind::internal, failure);
  if (memory == nullptr)
    base::fail(Errc::out_of_memory,
               fmt::format("no memory for the answers to remote calls: {}", failure.limit));
  auto* reply = static_cast<Reply*>(memory);
  for (std::size_t i = slots; i-- > 0;) free_.push_back(new (reply + i) Reply);
}

Reply* Replies::take() {
  if (free_.empty()) {
    std::erase_if(abandoned_, [&](Reply* reply) {
      if (reply->state.load(std::memory_order_acquire) == Reply::waiting && !take_back(*reply))
        return false;
      recycle(reply);
      return true;
    });
    if (free_.empty()) grow();
  }
  Reply* reply = free_.back();
  free_.pop_back();
  reply->code = 0;
  reply->bytes = 0;
  reply->block = 0;
  base::mark_defined(reply, sizeof *reply);  // by whoever answers
  // Relaxed: the request that carries the slot's address is released after this.
  reply->state.store(Reply::waiting, std::memory_order_relaxed);
  return reply;
}

Reply* Replies::take_promised(std::uint32_t& number) {
  // Numbers of a slot are the same again after 2^31 promises of the rank.
  if ((promises_ += 2) == 0) promises_ = 2;
  Reply* const reply = take();
  number = promises_;
  // Relaxed, as the state: the promise is passed on after this.
  reply->promise.store(number, std::memory_order_relaxed);
  return reply;
}

/// Whether the slot waited for a promise that nobody will find any more.
bool Replies::take_back(Reply& reply) {
  std::uint32_t number = reply.promise.load(std::memory_order_relaxed);
  if (number == 0 || number % 2 != 0) return false;
  return reply.promise.compare_exchange_strong(number, 0, std::memory_order_acq_rel);
}

void Replies::give_back(Reply* reply) {
  // Acquire: the answerer has done writing.
  if (reply->state.load(std::memory_order_acquire) == Reply::waiting && !take_back(*reply)) {
    abandoned_.push_back(reply);
    return;
  }
  recycle(reply);
}

void Replies::recycle(Reply* reply) {
  if (reply->block != 0) give_back_block(space_, reinterpret_cast<std::byte*>(reply->block));
  reply->state.store(Reply::free, std::memory_order_relaxed);
  free_.push_back(reply);
}

}  // namespace armature::rmi
