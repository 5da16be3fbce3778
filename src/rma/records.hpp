#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::rma {

/// Records of one-sided operations (remote_records.hpp).
enum class Kind : std::uint8_t {
  put,
  write,   // rows, or an accumulate
  pieces,  // the same, by a list of addresses
  get,
  gather,  // the same, by a list of addresses
  data,    // what was got
  atomic,
  value,   // what it found
  signal,  // an atomic that is not answered, and wakes who waits for it
  check,   // is this address good?
  checked,
  concealed,  // what was found to be exposed is not any more
  lock,       // a mutex: answered when it is the asker's turn
  unlock,
  leave_lock,  // who has asked does not want it any more
  lock_holder,
  key,  // how can that memory be reached by the engine?
  keyed,
  give_up,  // a key, as its memory is to make room for other memory
  given_up,
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::rma
