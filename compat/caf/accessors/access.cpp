#include <cstdlib>
#include <cstring>
#include <vector>

#include <armature/rank_local.hpp>

#include "../calls.hpp"
#include "../section.hpp"
#include "libcaf_accessors.hpp"
#include "remote.hpp"
#include "table.hpp"

// Reads and writes of parts of other images' objects by the program's own accessors.

namespace caf {
namespace {

/// Scalars that have come from another node. The program gets their address, and uses them before
/// the statement ends. No statement has that many.
class Scalars {
 public:
  void* keep(std::vector<std::byte> bytes) {
    std::vector<std::byte>& place = kept_[next_++ % kept_max];
    place = std::move(bytes);
    return place.data();
  }

 private:
  static constexpr std::size_t kept_max = 1024;
  std::size_t next_ = 0;
  std::vector<std::vector<std::byte>> kept_ = std::vector<std::vector<std::byte>>(kept_max);
};

armature::rank_local<Scalars> scalars;

/// Gives an allocatable array the shape and the elements that were read; the compiler frees its
/// memory with free().
void reallocate(Descriptor& to, Value& value) {
  const std::size_t head =
      descriptor_head_bytes + static_cast<std::size_t>(to.rank()) * sizeof(Dimension);
  void* memory = value.array.base;
  if (value.must_free) {
    std::free(to.base);
    value.must_free = false;
  } else {
    memory = std::realloc(to.base, value.bytes.empty() ? 1 : value.bytes.size());
    if (memory == nullptr) refuse("no memory for an array", stat::allocation);
    std::memcpy(memory, value.bytes.data(), value.bytes.size());
  }
  value.array.base = memory;
  std::memcpy(&to, &value.array, head);
}

void store(Descriptor& to, Value& value, bool may_reallocate) {
  if (may_reallocate || to.base == nullptr) return reallocate(to, value);
  const ElementType type = element_of(value.array, 0);
  assign(section_of(to, static_cast<std::byte*>(to.base)), type,
         section_of(value.array, static_cast<std::byte*>(value.array.base)), type);
}

Access access_of(Coarray* token, int image, TeamOfImages* const* team, const int* team_number,
                 const Descriptor* descriptor, int accessor, void* data, std::size_t data_bytes) {
  return {token,     rank_meant(token, image, team, team_number), image, descriptor, accessor, data,
          data_bytes};
}

}  // namespace
}  // namespace caf

extern "C" {

void _gfortran_caf_register_accessor(int hash, void (*accessor)()) {
  caf::insisted("start", [=] { caf::register_accessor(hash, accessor); });
}

void _gfortran_caf_register_accessors_finish() {}

int _gfortran_caf_get_remote_function_index(int hash) {
  return caf::insisted("reference to another image", [=] { return caf::place_of_accessor(hash); });
}

void _gfortran_caf_get_from_remote(caf::Coarray* token, const caf::Descriptor* from,
                                   const std::size_t* from_length, int image,
                                   std::size_t item_bytes, void** to_pointer,
                                   std::size_t* to_length, caf::Descriptor* to, bool may_reallocate,
                                   int accessor, void* data, std::size_t data_bytes, int* stat,
                                   caf::TeamOfImages* const* team, const int* team_number) {
  caf::perform("get", {stat}, [=] {
    caf::Value value;
    caf::read(caf::access_of(token, image, team, team_number, from, accessor, data, data_bytes), to,
              item_bytes, to_length, from_length, value);
    if (to_length != nullptr) *to_length = value.length;
    if (to != nullptr) return caf::store(*to, value, may_reallocate);
    *to_pointer = value.bytes.empty() ? value.scalar : caf::scalars->keep(std::move(value.bytes));
  });
}

void _gfortran_caf_send_to_remote(caf::Coarray* token, const caf::Descriptor* to,
                                  const std::size_t* to_length, int image, std::size_t item_bytes,
                                  const void* from_pointer, const std::size_t* from_length,
                                  const caf::Descriptor* from, int accessor, void* data,
                                  std::size_t data_bytes, int* stat, caf::TeamOfImages* const* team,
                                  const int* team_number) {
  caf::perform("send", {stat}, [=] {
    const std::size_t bytes = item_bytes * (from_length != nullptr ? *from_length : 1);
    caf::write(caf::access_of(token, image, team, team_number, to, accessor, data, data_bytes),
               {from, from_pointer, bytes}, to_length, from_length);
  });
}

void _gfortran_caf_transfer_between_remotes(
    caf::Coarray* to_token, const caf::Descriptor* to, std::size_t* to_length, int to_image,
    int to_accessor, void* to_data, std::size_t to_data_bytes, caf::Coarray* from_token,
    const caf::Descriptor* from, const std::size_t* from_length, int from_image, int from_accessor,
    void* from_data, std::size_t from_data_bytes, std::size_t item_bytes, bool is_scalar,
    int* to_stat, int* from_stat, caf::TeamOfImages* const* to_team, const int* to_team_number,
    caf::TeamOfImages* const* from_team, const int* from_team_number) {
  if (to_stat != nullptr) *to_stat = 0;
  caf::Value value;
  const caf::Descriptor array{};
  bool is_read = false;
  caf::perform("get", {from_stat}, [&] {
    caf::read(caf::access_of(from_token, from_image, from_team, from_team_number, from,
                             from_accessor, from_data, from_data_bytes),
              is_scalar ? nullptr : &array, item_bytes, to_length, from_length, value);
    is_read = true;
  });
  if (!is_read) return;
  caf::perform("send", {to_stat}, [&] {
    const std::size_t bytes = item_bytes * (to_length != nullptr ? value.length : 1);
    const std::size_t* const length = to_length != nullptr ? &value.length : nullptr;
    caf::write(caf::access_of(to_token, to_image, to_team, to_team_number, to, to_accessor, to_data,
                              to_data_bytes),
               {is_scalar ? nullptr : &value.array, value.scalar, bytes}, to_length,
               from_length != nullptr ? from_length : length);
  });
}

}  // extern "C"
