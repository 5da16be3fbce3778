#include "message/matching.hpp"

#include <numeric>

namespace armature::message {

void PostedReceives::post(PostedReceive& receive) {
  receive.order_ = posted_++;
  queues_.append(receive.pattern_, receive.link_);
  ++waiting_[receive.pattern_.kind()];
}

void PostedReceives::remove(PostedReceive& receive) {
  queues_.remove(receive.pattern_, receive.link_);
  --waiting_[receive.pattern_.kind()];
}

PostedReceive* PostedReceives::match(const Label& message) {
  PostedReceive* earliest = nullptr;
  for (unsigned kind = 0; kind < Label::kinds; ++kind) {
    if (waiting_[kind] == 0) continue;
    auto* const found = static_cast<PostedReceive*>(queues_.first(message.as(kind)));
    if (found != nullptr && (earliest == nullptr || found->order_ < earliest->order_))
      earliest = found;
  }
  if (earliest != nullptr) remove(*earliest);
  return earliest;
}

bool PostedReceives::withdraw(PostedReceive& receive) {
  if (!receive.link_.is_in_queue) return false;
  remove(receive);
  return true;
}

std::size_t PostedReceives::size() const {
  return std::accumulate(waiting_.begin(), waiting_.end(), std::size_t{0});
}

void WaitingMessages::add(WaitingMessage& message) {
  in_order_.append(message.in_order_);
  for (unsigned kind = 0; kind < Label::kinds; ++kind)
    if (is_indexed_[kind]) queues_.append(message.label_.as(kind), message.links_[kind]);
  ++size_;
}

void WaitingMessages::put_back(WaitingMessage& message) {
  in_order_.prepend(message.in_order_);
  for (unsigned kind = 0; kind < Label::kinds; ++kind)
    if (is_indexed_[kind]) queues_.prepend(message.label_.as(kind), message.links_[kind]);
  ++size_;
}

void WaitingMessages::index(unsigned kind) {
  for (WaitingMessage* message = first(); message != nullptr; message = after(*message))
    queues_.append(message->label_.as(kind), message->links_[kind]);
  is_indexed_[kind] = true;
}

WaitingMessage* WaitingMessages::find(const Label& pattern) {
  if (size_ == 0) return nullptr;
  const unsigned kind = pattern.kind();
  if (!is_indexed_[kind]) index(kind);
  return static_cast<WaitingMessage*>(queues_.first(pattern));
}

void WaitingMessages::remove(WaitingMessage& message) {
  in_order_.remove(message.in_order_);
  for (unsigned kind = 0; kind < Label::kinds; ++kind)
    if (is_indexed_[kind]) queues_.remove(message.label_.as(kind), message.links_[kind]);
  --size_;
}

WaitingMessage* WaitingMessages::first() const {
  return static_cast<WaitingMessage*>(in_order_.first());
}

WaitingMessage* WaitingMessages::after(const WaitingMessage& message) const {
  const Link* const behind = message.in_order_.behind;
  return behind == nullptr ? nullptr : static_cast<WaitingMessage*>(behind->item);
}

}  // namespace armature::message
