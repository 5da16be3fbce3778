#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "armature/error.hpp"

// One member's part of a distributed map. A user that iterates over the entries, or holds a
// reference to one, may make a remote call. Then calls of other ranks are executed, which insert
// and erase. That would invalidate the iterators of a std::unordered_map. Here entries stay where
// they are: going through them is by place, and while somebody holds a Pin, what is erased is
// unlinked but not destroyed.

namespace armature::detail {

/// The bits of a user's hash, which may be the identity, spread over the word: the low ones choose
/// the bucket, the high ones the owner.
inline std::uint64_t spread(std::uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0x9fb2'1c65'1e98'df25ULL;
  hash ^= hash >> 29;
  hash *= 0xd6e8'feb8'6659'fd93ULL;
  return hash ^ (hash >> 32);
}

/// KeyOf: from an entry to its key. Several entries may have the same key.
template <class Entry, class Key, class KeyOf, class Equal>
class HashTable {
  using Place = std::uint32_t;
  static constexpr Place none = UINT32_MAX;

  struct Slot {
    std::uint64_t hash = 0;
    Place next = none;  // in the bucket, or in the list of free ones
    bool is_live = false;
    std::optional<Entry> entry;
  };

  /// Grows without moving what is there, and finds it faster than a std::deque.
  class Slots {
   public:
    [[nodiscard]] std::size_t size() const { return size_; }
    Slot& operator[](std::size_t at) { return chunks_[at / chunk][at % chunk]; }
    const Slot& operator[](std::size_t at) const { return chunks_[at / chunk][at % chunk]; }
    void emplace_back() {
      if (size_ % chunk == 0) chunks_.push_back(std::make_unique<Slot[]>(chunk));
      ++size_;
    }

   private:
    static constexpr std::size_t chunk = 256;
    std::vector<std::unique_ptr<Slot[]>> chunks_;
    std::size_t size_ = 0;
  };

 public:
  explicit HashTable(Equal equal) : equal_(std::move(equal)), buckets_(16, none) {}
  HashTable(const HashTable&) = delete;
  HashTable& operator=(const HashTable&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] Entry* find(const Key& key, std::uint64_t hash) {
    for (Place at = buckets_[bucket(hash)]; at != none; at = slots_[at].next)
      if (is(slots_[at], key, hash)) return &*slots_[at].entry;
    return nullptr;
  }
  template <class F>
  void for_each_of(const Key& key, std::uint64_t hash, F f) {
    const Pin pin(*this);
    std::vector<Entry*> found;  // f may change the bucket
    for (Place at = buckets_[bucket(hash)]; at != none; at = slots_[at].next)
      if (is(slots_[at], key, hash)) found.push_back(&*slots_[at].entry);
    for (Entry* entry : found) f(*entry);
  }
  /// A new entry, also when there is one of that key.
  template <class... Args>
  Entry& insert(std::uint64_t hash, Args&&... args) {
    const Place at = take_slot();
    Slot& slot = slots_[at];
    slot.entry.emplace(std::forward<Args>(args)...);
    slot.hash = hash;
    slot.is_live = true;
    Place& head = buckets_[bucket(hash)];
    slot.next = std::exchange(head, at);
    if (++size_ > buckets_.size()) grow();
    return *slot.entry;
  }
  std::size_t erase(const Key& key, std::uint64_t hash) {
    std::size_t erased = 0;
    for (Place* link = &buckets_[bucket(hash)]; *link != none;) {
      const Place at = *link;
      if (!is(slots_[at], key, hash)) {
        link = &slots_[at].next;
        continue;
      }
      *link = slots_[at].next;
      bury(at);
      ++erased;
    }
    size_ -= erased;
    return erased;
  }
  void clear() {
    for (Place at = 0; at < slots_.size(); ++at)
      if (slots_[at].is_live) bury(at);
    buckets_.assign(buckets_.size(), none);
    size_ = 0;
  }

  /// Keeps erased entries: while there is a Pin, they are not destroyed.
  class Pin {
   public:
    explicit Pin(HashTable& table) : table_(table) { ++table_.pins_; }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() {
      if (--table_.pins_ == 0 && !table_.buried_.empty()) table_.destroy_buried();
    }

   private:
    HashTable& table_;
  };
  [[nodiscard]] bool is_pinned() const { return pins_ > 0; }

  /// Goes over the entries that are there when it comes to them; insertion does not disturb it.
  class iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    iterator() = default;
    iterator(HashTable* table, std::size_t at) : table_(table), at_(at) { skip(); }
    Entry& operator*() const { return *table_->slots_[at_].entry; }
    Entry* operator->() const { return &**this; }
    iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }
    friend bool operator==(const iterator& a, std::default_sentinel_t) { return a.is_at_end(); }

   private:
    [[nodiscard]] bool is_at_end() const {
      return table_ == nullptr || at_ >= table_->slots_.size();
    }
    void skip() {
      while (at_ < table_->slots_.size() && !table_->slots_[at_].is_live) ++at_;
    }
    HashTable* table_ = nullptr;
    std::size_t at_ = 0;
  };
  [[nodiscard]] iterator begin() { return {this, 0}; }
  [[nodiscard]] std::default_sentinel_t end() { return {}; }

 private:
  [[nodiscard]] std::size_t bucket(std::uint64_t hash) const {
    return hash & (buckets_.size() - 1);
  }
  [[nodiscard]] bool is(const Slot& slot, const Key& key, std::uint64_t hash) const {
    return slot.hash == hash && equal_(KeyOf()(*slot.entry), key);
  }
  Place take_slot() {
    if (free_ != none) {
      const Place at = free_;
      free_ = slots_[at].next;
      return at;
    }
    if (slots_.size() >= none)
      throw Error(Errc::out_of_memory, "a distributed map has 2^32 entries on one rank");
    slots_.emplace_back();
    return static_cast<Place>(slots_.size() - 1);
  }
  void bury(Place at) {
    slots_[at].is_live = false;
    buried_.push_back(at);
    if (pins_ == 0) destroy_buried();
  }
  void destroy_buried() {
    for (const Place at : std::exchange(buried_, {})) {
      slots_[at].entry.reset();
      slots_[at].next = std::exchange(free_, at);
    }
  }
  void grow() {
    buckets_.assign(buckets_.size() * 2, none);
    for (Place at = 0; at < slots_.size(); ++at)
      if (slots_[at].is_live)
        slots_[at].next = std::exchange(buckets_[bucket(slots_[at].hash)], at);
  }

  Equal equal_;
  Slots slots_;
  std::vector<Place> buckets_;
  std::vector<Place> buried_;
  Place free_ = none;
  std::size_t size_ = 0;
  int pins_ = 0;
};

}  // namespace armature::detail
