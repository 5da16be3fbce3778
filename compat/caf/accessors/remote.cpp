#include "remote.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <armature/layer/direct.hpp>
#include <armature/rmi.hpp>

#include "../calls.hpp"
#include "../section.hpp"
#include "../teams.hpp"
#include "libcaf_accessors.hpp"
#include "table.hpp"

namespace caf {
namespace {

using Bytes = std::vector<std::byte>;

std::byte* base_of(const Access& access) {
  if (access.token->holder >= 0) return access.token->mine;
  return at_rank(*access.token->image, access.token->mine, access.rank);
}

/// The coarray as an accessor gets it: its address, or a descriptor that has it.
class Base {
 public:
  Base(const Descriptor* descriptor, std::byte* address)
      : address_(address), has_descriptor_(descriptor != nullptr) {
    if (!has_descriptor_) return;
    descriptor_ = copy_of(*descriptor);
    descriptor_.base = address;
  }
  [[nodiscard]] void* get() {
    return has_descriptor_ ? &descriptor_ : static_cast<void*>(address_);
  }

 private:
  std::byte* address_;
  bool has_descriptor_;
  Descriptor descriptor_;  // without a value where there is none
};

/// The coarray as which an accessor gets its data: they are the holder's alone.
Coarray coarray_of_data(armature::Rank holder, void* data) {
  Coarray token{};
  token.image = &image();
  token.mine = static_cast<std::byte*>(data);
  token.holder = holder;
  return token;
}

std::size_t elements_of(const Descriptor& array) {
  std::size_t count = 1;
  for (int i = 0; i < array.rank(); ++i)
    count *= static_cast<std::size_t>(array.dimensions[i].extent());
  return count;
}

/// Makes an array's elements lie side by side in memory of its own.
Bytes pack(Descriptor& array) {
  const ElementType type = element_of(array, 0);
  Bytes bytes(elements_of(array) * type.bytes);
  Section all(bytes.data());
  all.add(elements_of(array), static_cast<std::ptrdiff_t>(type.bytes));
  if (!bytes.empty())
    assign(all, type, section_of(array, static_cast<std::byte*>(array.base)), type);
  std::ptrdiff_t stride = 1;
  std::ptrdiff_t offset = 0;
  for (int i = 0; i < array.rank(); ++i) {
    array.dimensions[i].stride = stride;
    offset -= stride * array.dimensions[i].lower;
    stride *= array.dimensions[i].extent();
  }
  array.span = static_cast<std::ptrdiff_t>(type.bytes);
  array.offset = static_cast<std::size_t>(offset);
  array.base = bytes.data();
  return bytes;
}

/// An access as it goes to another node, besides its data.
struct Carried {
  int hash;
  int image;
  std::byte* base;  // at its owner
  armature::Rank caller;
  void* data;  // at the caller
  bool has_descriptor, has_to_length, has_from_length, is_array;
  std::size_t to_length, from_length, item_bytes;
  Descriptor descriptor;  // the coarray's
  Descriptor array;       // the one read or written

  [[nodiscard]] const Descriptor* coarray() const { return has_descriptor ? &descriptor : nullptr; }
  [[nodiscard]] std::size_t* to() { return has_to_length ? &to_length : nullptr; }
  [[nodiscard]] const std::size_t* from() const { return has_from_length ? &from_length : nullptr; }
};

Carried carried(const Access& access, const std::size_t* to_length,
                const std::size_t* from_length) {
  Carried call{};
  call.hash = hash_of_accessor(access.accessor);
  call.image = access.image;
  call.base = base_of(access);
  call.caller = access.token->image->rank;
  call.data = access.data;
  call.has_descriptor = access.descriptor != nullptr;
  if (call.has_descriptor) call.descriptor = copy_of(*access.descriptor);
  call.has_to_length = to_length != nullptr;
  if (call.has_to_length) call.to_length = *to_length;
  call.has_from_length = from_length != nullptr;
  if (call.has_from_length) call.from_length = *from_length;
  return call;
}

Bytes data_of(const Access& access) {
  const auto* const begin = static_cast<const std::byte*>(access.data);
  return begin == nullptr ? Bytes() : Bytes(begin, begin + access.data_bytes);
}

using Answer = std::pair<Carried, Bytes>;

Answer read_at_owner(Carried call, Bytes data) {
  auto* const getter = reinterpret_cast<Getter*>(accessor_at(place_of_accessor(call.hash)));
  Base base(call.coarray(), call.base);
  Coarray of_data = coarray_of_data(call.caller, call.data);
  int must_free = 0;
  if (!call.is_array) {
    void* found = nullptr;
    getter(data.data(), &call.image, &found, &must_free, base.get(), &of_data, 0, call.to(),
           call.from());
    const std::size_t bytes = call.item_bytes * (call.has_to_length ? call.to_length : 1);
    const auto* const begin = static_cast<const std::byte*>(found);
    return {call, Bytes(begin, begin + bytes)};
  }
  call.array.base = nullptr;
  getter(data.data(), &call.image, &call.array, &must_free, base.get(), &of_data, 0, call.to(),
         call.from());
  void* const made = call.array.base;
  Bytes bytes = pack(call.array);
  std::free(made);
  return {call, std::move(bytes)};
}

void write_at_owner(Carried call, Bytes data, Bytes values) {
  auto* const receiver = reinterpret_cast<Receiver*>(accessor_at(place_of_accessor(call.hash)));
  Base base(call.coarray(), call.base);
  call.array.base = values.data();
  const void* const from = call.is_array ? static_cast<const void*>(&call.array) : values.data();
  Coarray of_data = coarray_of_data(call.caller, call.data);
  receiver(data.data(), &call.image, base.get(), from, &of_data, 0, call.to(), call.from());
}

int is_present_at_owner(Carried call, Bytes data, bool is_address_of_pointer) {
  auto* const presence = reinterpret_cast<Presence*>(accessor_at(place_of_accessor(call.hash)));
  Base base(call.coarray(), call.base);
  void* address = base.get();
  int result = 0;
  const bool is_pointer = is_address_of_pointer && !call.has_descriptor;
  Coarray of_data = coarray_of_data(call.caller, call.data);
  presence(data.data(), &call.image, &result, is_pointer ? &address : address, &of_data, 0);
  return result;
}

bool is_here(const Access& access) {
  if (access.token->holder >= 0) return access.rank == access.token->image->rank;
  return armature::layer::is_direct(access.rank, base_of(access), access.token->bytes);
}

}  // namespace

armature::Rank rank_meant(const Coarray* token, int image, TeamOfImages* const* team,
                          const int* team_number) {
  if (token == nullptr) refuse_unallocated();
  if (token->holder >= 0) return token->holder;
  const Image& me = *token->image;
  if (team_number != nullptr) {
    const std::vector<armature::Rank> ranks = ranks_in(me, *team_number);
    if (image >= 1 && static_cast<std::size_t>(image) <= ranks.size())
      return ranks[static_cast<std::size_t>(image) - 1];
    refuse("image " + std::to_string(image) + " is none of the " + std::to_string(ranks.size()) +
           " images of team " + std::to_string(*team_number));
  }
  if (team == nullptr || *team == nullptr) return rank_of_image(me, image);
  if (image < 1 || image > (*team)->size())
    refuse("image " + std::to_string(image) + " is none of the " + std::to_string((*team)->size()) +
           " images of the team");
  return (*team)->rank_of(image);
}

Value::~Value() {
  if (must_free) std::free(array.base);
}

void read(const Access& access, const Descriptor* buffer, std::size_t item_bytes,
          const std::size_t* to_length, const std::size_t* from_length, Value& value) {
  if (to_length != nullptr) value.length = *to_length;
  if (buffer != nullptr) value.array = copy_of(*buffer);
  value.array.base = nullptr;
  if (is_here(access)) {
    auto* const getter = reinterpret_cast<Getter*>(accessor_at(access.accessor));
    Base base(access.descriptor, base_of(access));
    Coarray of_data = coarray_of_data(access.token->image->rank, access.data);
    int must_free = 0;
    void* const into = buffer != nullptr ? static_cast<void*>(&value.array) : &value.scalar;
    getter(access.data, &access.image, into, &must_free, base.get(), &of_data, 0,
           to_length != nullptr ? &value.length : nullptr, from_length);
    value.must_free = buffer != nullptr && value.array.base != nullptr;
    std::atomic_thread_fence(std::memory_order_acquire);
    return;
  }
  Carried call = carried(access, to_length, from_length);
  call.is_array = buffer != nullptr;
  call.item_bytes = item_bytes;
  call.array = value.array;
  Answer answer = armature::sync(access.rank, read_at_owner, call, data_of(access));
  value.bytes = std::move(answer.second);
  value.array = answer.first.array;
  value.array.base = value.bytes.data();
  value.scalar = value.bytes.data();
  value.length = answer.first.to_length;
}

void write(const Access& access, const Source& source, const std::size_t* to_length,
           const std::size_t* from_length) {
  Descriptor array{};
  Bytes packed;
  const void* from = source.scalar;
  const bool is_here_now = is_here(access);
  // An image's own coarray may be read while it is written.
  const bool must_pack = !is_here_now || access.rank == access.token->image->rank;
  if (source.array != nullptr) {
    array = copy_of(*source.array);
    if (must_pack) packed = pack(array);
    from = &array;
  }
  if (is_here_now) {
    auto* const receiver = reinterpret_cast<Receiver*>(accessor_at(access.accessor));
    Base base(access.descriptor, base_of(access));
    std::atomic_thread_fence(std::memory_order_release);
    Coarray of_data = coarray_of_data(access.token->image->rank, access.data);
    receiver(access.data, &access.image, base.get(), from, &of_data, 0, to_length, from_length);
    return;
  }
  Carried call = carried(access, to_length, from_length);
  call.is_array = source.array != nullptr;
  call.array = array;
  if (!call.is_array) {
    const auto* const begin = static_cast<const std::byte*>(source.scalar);
    packed.assign(begin, begin + source.scalar_bytes);
  }
  armature::sync(access.rank, write_at_owner, call, data_of(access), std::move(packed));
}

namespace {
bool is_present(const Access& access, PresenceBase kind) {
  const bool is_pointer = kind == PresenceBase::address_of_pointer;
  const Carried call = carried(access, nullptr, nullptr);
  if (is_here(access)) return is_present_at_owner(call, data_of(access), is_pointer) != 0;
  return armature::sync(access.rank, is_present_at_owner, call, data_of(access), is_pointer) != 0;
}
}  // namespace

int presence(Coarray* token, int image, int accessor, void* data, std::size_t data_bytes,
             PresenceBase kind) {
  // One that move_alloc has given away may have ended with its team.
  if (token == nullptr || token->mine == nullptr) return 0;
  return insisted("allocated", [=] {
    const Access access{token,     rank_meant(token, image, nullptr, nullptr),
                        image,     bounds_of(*token),
                        accessor,  data,
                        data_bytes};
    return is_present(access, kind) ? 1 : 0;
  });
}

}  // namespace caf
