#include "message/matching.hpp"

#include <algorithm>

namespace armature::message {

void PostedReceives::post(PostedReceive& receive) {
  receive.order_ = posted_++;
  queues_.append(receive.pattern_, receive.link_);
  ++waiting_[receive.pattern_.kind()];
  ++size_;
}

void PostedReceives::remove(PostedReceive& receive) {
  receive.link_.leave();
  --waiting_[receive.pattern_.kind()];
  --size_;
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
  if (!receive.link_.is_in_queue()) return false;
  remove(receive);
  return true;
}

void WaitingMessages::add(WaitingMessage& message) {
  message.order_ = behind_all_++;
  for (unsigned kind = 0; kind < Label::kinds; ++kind)
    if (is_indexed_[kind]) queues_.append(message.label_.as(kind), message.links_[kind]);
  ++size_;
}

void WaitingMessages::put_back(WaitingMessage& message) {
  message.order_ = --before_all_;
  for (unsigned kind = 0; kind < Label::kinds; ++kind)
    if (is_indexed_[kind]) queues_.prepend(message.label_.as(kind), message.links_[kind]);
  ++size_;
}

void WaitingMessages::index(unsigned kind) {
  for (WaitingMessage* const message : in_order())
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
  for (Link& link : message.links_) link.leave();
  --size_;
}

std::vector<WaitingMessage*> WaitingMessages::in_order() const {
  std::vector<WaitingMessage*> all;
  all.reserve(size_);
  for (void* const one : queues_.messages()) all.push_back(static_cast<WaitingMessage*>(one));
  std::ranges::sort(all, {}, [](const WaitingMessage* one) { return one->order_; });
  return all;
}

}  // namespace armature::message
