#include "locks.hpp"

#include <cstdint>
#include <string>

#include <armature/atomic.hpp>
#include <armature/fence.hpp>
#include <armature/get.hpp>
#include <armature/layer/wait.hpp>
#include <armature/put.hpp>
#include <armature/run.hpp>

#include "calls.hpp"
#include "coarray.hpp"
#include "libcaf.hpp"

// Locks, and critical constructs, whose locks the compiler declares. A lock is a queue of images:
// its word names the last one's place. A place lies at its image, names the next one, and has the
// word for which it waits. So images have their turns in order, and an image that waits does not
// look at another one's memory.

namespace caf {
namespace {

// A place's name is in a word: the rank in the upper bits, and the address, which is a multiple
// of 16.
constexpr int address_bits = 43;

std::uint64_t name_of(armature::Rank rank, const LockPlace* place) {
  return static_cast<std::uint64_t>(rank + 1) << address_bits |
         reinterpret_cast<std::uintptr_t>(place) >> 4;
}
armature::Rank rank_of(std::uint64_t name) { return static_cast<int>(name >> address_bits) - 1; }
LockPlace* place_of(std::uint64_t name) {
  return reinterpret_cast<LockPlace*>((name & ((std::uint64_t{1} << address_bits) - 1)) << 4);
}
armature::global_ptr<std::uint64_t> word_of(std::uint64_t name, std::uint64_t LockPlace::*word) {
  return {rank_of(name), &(place_of(name)->*word)};
}

LockPlace* take_place(Image& me) {
  if (me.lock_places.empty()) return armature::world().allocate_local<LockPlace>(1).address();
  LockPlace* const place = me.lock_places.back();
  me.lock_places.pop_back();
  return place;
}

std::uint64_t key_of(Lock lock) { return reinterpret_cast<std::uintptr_t>(lock.address()); }

}  // namespace

bool enter(Image& me, Lock lock, bool may_wait) {
  if (me.locks.contains(key_of(lock))) {
    if (!may_wait) return false;
    refuse("this image has locked it already", stat::locked);
  }
  LockPlace* const place = take_place(me);
  *place = {0, 0};
  const std::uint64_t mine = name_of(me.rank, place);
  if (!may_wait) {
    if (armature::get(lock) != 0 || armature::compare_swap(lock, 0, mine) != 0) {
      me.lock_places.push_back(place);
      return false;
    }
  } else if (const std::uint64_t before = armature::swap(lock, mine); before != 0) {
    armature::put(word_of(before, &LockPlace::next), mine);
    armature::layer::wake(rank_of(before));
    armature::layer::wait_until({.call = "lock", .until = "its turn", .is_told = true}, [&] {
      return __atomic_load_n(&place->is_granted, __ATOMIC_ACQUIRE) != 0;
    });
  }
  me.locks[key_of(lock)] = place;
  return true;
}

void leave(Image& me, Lock lock) {
  const auto found = me.locks.find(key_of(lock));
  if (found == me.locks.end()) {
    if (armature::get(lock) == 0) refuse("it is not locked", stat::unlocked);
    refuse("another image has locked it", stat::locked_other_image);
  }
  LockPlace* const place = found->second;
  const std::uint64_t mine = name_of(me.rank, place);
  armature::fence_all();  // what was done under the lock is there for the next one
  const auto next = [&] { return __atomic_load_n(&place->next, __ATOMIC_ACQUIRE); };
  if (next() != 0 || armature::compare_swap(lock, mine, 0) != mine) {
    // Someone has come, and is about to say who.
    armature::layer::wait_until({.call = "unlock", .until = "next is known", .is_told = true},
                                [&] { return next() != 0; });
    armature::put(word_of(next(), &LockPlace::is_granted), std::uint64_t{1});
    armature::layer::wake(rank_of(next()));
  }
  me.locks.erase(found);
  me.lock_places.push_back(place);
}

namespace {

Lock lock_at(const Coarray* coarray, std::size_t index, int image_number) {
  return place_of_variable(coarray, index * sizeof(std::uint64_t), sizeof(std::uint64_t),
                           image_number)
      .as<std::uint64_t>();
}

}  // namespace
}  // namespace caf

extern "C" {

void _gfortran_caf_lock(caf::Coarray* token, std::size_t index, int image, int* is_acquired,
                        int* stat, char* message, std::size_t message_bytes) {
  caf::perform("lock", {stat, message, message_bytes}, [=] {
    const caf::Lock lock = caf::lock_at(token, index, image);
    const bool is_mine = caf::enter(*token->image, lock, is_acquired == nullptr);
    if (is_acquired != nullptr) *is_acquired = is_mine ? 1 : 0;
  });
}

void _gfortran_caf_unlock(caf::Coarray* token, std::size_t index, int image, int* stat,
                          char* message, std::size_t message_bytes) {
  caf::perform("unlock", {stat, message, message_bytes}, [=] {
    const caf::Lock lock = caf::lock_at(token, index, image);
    caf::leave(*token->image, lock);
  });
}

}  // extern "C"
