#include "coarray.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <armature/get.hpp>
#include <armature/layer/direct.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "departure.hpp"
#include "hosting.hpp"
#include "libcaf.hpp"
#include "main.hpp"

namespace caf {
namespace {

/// A lock or an event takes a word, though the compiler counts them.
constexpr std::size_t variable_bytes = 8;

bool is_static(Kind kind) {
  return kind == Kind::static_coarray || kind == Kind::static_lock || kind == Kind::critical ||
         kind == Kind::static_event;
}
bool is_of_variables(Kind kind) {
  return kind == Kind::static_lock || kind == Kind::allocatable_lock || kind == Kind::critical ||
         kind == Kind::static_event || kind == Kind::allocatable_event;
}

// A component is allocated by one image for itself. Its token is its address with a mark: others
// find it through the object that has the component, and so nothing need be known of it. The token
// of one that is not allocated is the mark alone.
constexpr std::uintptr_t component_mark = 1;

void* token_of(const void* component) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(component) | component_mark);
}
bool is_of_component(const void* token) {
  return (reinterpret_cast<std::uintptr_t>(token) & component_mark) != 0;
}
void* component_of(const void* token) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(token) & ~component_mark);
}

/// Whether the memory is of a coarray.
bool is_of_heap(const Image& me, const void* memory) {
  for (const TeamOfImages* team = me.current; team != nullptr; team = team->parent)
    if (team->heap.contains(memory)) return true;
  return false;
}

/// gfortran 12 says `allocatable coarray` of a component, too, which an assignment allocates. Its
/// token is told from one of a coarray by its last value, and by its place in memory that other
/// images reach.
bool is_component(const Image& me, void* const* token, Kind kind) {
  if (kind == Kind::component || kind == Kind::component_announced) return true;
  if (kind != Kind::allocatable_coarray) return false;
  if (is_of_component(*token)) return true;
  return is_of_heap(me, token);
}

void make_component(void** token, Descriptor& of, Kind kind, std::size_t size) {
  if (kind == Kind::component_announced) {
    *token = token_of(nullptr);
    return;
  }
  void* const memory = armature::world().allocate_local_bytes(std::max<std::size_t>(size, 1), 64);
  *token = token_of(memory);
  of.base = memory;
}

/// The variable of an allocatable scalar: its token lies in it, behind its dimensions, which are
/// the codimensions. Nullptr where the compiler has made a descriptor for the call. A token that
/// lies at such a distance of one by chance does no harm: the variable is cleared only while it has
/// the coarray's address.
void** base_of_scalar(void* const* token, Descriptor& of) {
  const auto distance =
      reinterpret_cast<std::uintptr_t>(token) - reinterpret_cast<std::uintptr_t>(&of);
  const std::uintptr_t behind_head = distance - descriptor_head_bytes;
  const bool is_in_it = distance > descriptor_head_bytes && behind_head % sizeof(Dimension) == 0 &&
                        behind_head / sizeof(Dimension) <= dimensions_max;
  return of.rank() == 0 && is_in_it ? &of.base : nullptr;
}

void make_coarray(Image& me, void** token, Descriptor& of, Kind kind, std::size_t size) {
  TeamOfImages& team = is_static(kind) ? me.initial : *me.current;
  const std::size_t bytes = is_of_variables(kind) ? size * variable_bytes : size;
  auto* const memory = static_cast<std::byte*>(team.heap.allocate(team.team, bytes));
  // Static ones are new memory, and others may have posted events already.
  if (is_of_variables(kind) && !is_static(kind)) std::memset(memory, 0, bytes);
  const bool has_bounds = !is_static(kind) && of.rank() > 0;
  auto* const coarray =
      new Coarray{at_rank(me, memory, 0),     me.stride, bytes, &me, memory, &team,
                  has_bounds ? &of : nullptr, token};
  *token = coarray;
  of.base = memory;
  if (!is_static(kind)) {
    team.allocated.push_back(coarray);
    coarray->scalar = base_of_scalar(token, of);
  }
  if (!has_bounds) return;
  me.without_bounds.push_back(coarray);
  team.allocated_so_far.bytes = bytes;
  team.allocated_so_far.sum = team.allocated_so_far.sum * 31 + bytes;
}

/// Another name of a coarray, or of a section of it, while the team is the current one. `of` begins
/// where the section does.
void make_associated(Image& me, void** token, Descriptor& of) {
  const auto* const known = static_cast<const Coarray*>(*token);
  if (known == nullptr) refuse_unallocated();
  auto* const coarray = new Coarray(*known);
  const std::ptrdiff_t distance = static_cast<std::byte*>(of.base) - known->mine;
  coarray->first += distance;
  coarray->mine += distance;
  coarray->bytes -= static_cast<std::size_t>(distance);
  coarray->team = me.current;
  coarray->descriptor = of.rank() > 0 ? &of : nullptr;
  coarray->token = token;
  coarray->scalar = nullptr;
  coarray->has_bounds = false;
  coarray->is_associated = true;
  *token = coarray;
  me.current->allocated.push_back(coarray);
}

/// The original of a program whose images have copies of it: nobody runs its main, but constructors
/// write the initial values of coarrays.
void make_unused(Descriptor& of, Kind kind, std::size_t size) {
  of.base = std::calloc(size + 1, is_of_variables(kind) ? variable_bytes : 1);
}

}  // namespace

void allocate_coarray(Image& me, void** token, Descriptor& of, std::size_t bytes) {
  make_coarray(me, token, of, Kind::allocatable_coarray, bytes);
}

void free_coarray(void** token, Coarray* coarray) {
  if (coarray->mine == nullptr) {  // it ended with its team
    delete coarray;
    *token = nullptr;
    return;
  }
  TeamOfImages& team = *coarray->team;
  std::erase(team.allocated, coarray);
  if (coarray->is_associated) {
    delete coarray;
    *token = nullptr;
    return;
  }
  std::erase(coarray->image->without_bounds, coarray);
  // Nobody may still use it.
  synchronize(team);
  team.heap.release(team.team, coarray->mine);
  delete coarray;
  *token = nullptr;
}

void keep_bounds(Image& me) {
  for (Coarray* const coarray : me.without_bounds) {
    coarray->bounds = copy_of(*coarray->descriptor);
    coarray->has_bounds = true;
  }
  me.without_bounds.clear();
}

void tell_allocations(TeamOfImages& team) {
  team.allocations[++team.statements % 2] = team.allocated_so_far;
}

void compare_allocations(const Image& me, const TeamOfImages& team) {
  const int next = (team.team.rank() + 1) % team.size() + 1;
  const armature::Rank rank = team.rank_of(next);
  Allocations* const mine = &team.allocations[team.statements % 2];
  const auto theirs =
      armature::get(armature::global_ptr<Allocations>(rank, at_rank(me, mine, rank)));
  if (theirs.sum != mine->sum)
    refuse("the bounds differ: image " + std::to_string(next) + " has allocated " +
           std::to_string(theirs.bytes) + " bytes, and image " +
           std::to_string(team.team.rank() + 1) + " " + std::to_string(mine->bytes));
}

void refuse_unallocated() { refuse("the coarray is not allocated"); }

void refuse_bytes(const Coarray& coarray, std::size_t offset, std::size_t bytes) {
  refuse(
      "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
      " are not in the coarray, which has " + std::to_string(coarray.bytes) +
      " bytes at each image. If the program is right, gfortran 12 has taken a copy for the "
      "coarray, as it does with "
      "complex scalars, and with vector subscripts inside of expressions: docs/guide/coarrays.md");
}

Place place_of_variable(const Coarray* coarray, std::size_t offset, std::size_t bytes,
                        int image_number) {
  if (coarray == nullptr) refuse_unallocated();
  if (offset > coarray->bytes || bytes > coarray->bytes - offset)
    refuse_bytes(*coarray, offset, bytes);
  if (image_number != 0) return place_of(coarray, offset, image_number);
  return {coarray->image->rank, coarray->mine + offset};
}

void free_allocated(TeamOfImages& team) {
  while (!team.allocated.empty()) {
    Coarray* const coarray = team.allocated.back();
    team.allocated.pop_back();
    std::erase(coarray->image->without_bounds, coarray);
    if (!coarray->is_associated) team.heap.release(team.team, coarray->mine);
    void** const base =
        coarray->descriptor != nullptr ? &coarray->descriptor->base : coarray->scalar;
    const bool is_where_it_was =
        *coarray->token == coarray && (base == nullptr || *base == coarray->mine);
    if (is_where_it_was) {
      *coarray->token = nullptr;
      if (base != nullptr) *base = nullptr;
      delete coarray;
    } else {
      // move_alloc has given it to a variable that is not known, and may deallocate it yet.
      coarray->mine = nullptr;
      coarray->bytes = 0;
    }
  }
}

}  // namespace caf

extern "C" {

void _gfortran_caf_register(std::size_t size, caf::Kind kind, void** token, caf::Descriptor* of,
                            int* stat, char* message, std::size_t message_bytes) {
  if (!caf::is_image()) return caf::make_unused(*of, kind, size);
  caf::leave_at_exit();
  caf::perform("allocate", {stat, message, message_bytes}, [=] {
    caf::Image& me = caf::image();
    if (kind == caf::Kind::associated)
      caf::make_associated(me, token, *of);
    else if (caf::is_component(me, token, kind))
      caf::make_component(token, *of, kind, size);
    else
      caf::make_coarray(me, token, *of, kind, size);
  });
}

/// Frees what this image has allocated for a component. Returns 0, and does nothing, for all other
/// memory.
int caf_free_component(void* memory) {
  if (!armature::initialized()) return 0;
  return caf::insisted("free", [=] {
    const armature::Rank me = armature::world().rank();
    // A virtual rank's memory of malloc lies in its segment, too, and is private.
    if (!armature::layer::is_direct(me, memory, 1) || armature::is_private(memory)) return 0;
    // gfortran 12 takes a scalar coarray for its first component. The coarray is deallocated next.
    if (!caf::is_of_heap(caf::image(), memory)) armature::world().free_local_bytes(me, memory);
    return 1;
  });
}

void _gfortran_caf_deregister(void** token, int only_memory, int* stat, char* message,
                              std::size_t message_bytes) {
  caf::perform("deallocate", {stat, message, message_bytes}, [=] {
    if (*token == nullptr) caf::refuse_unallocated();
    if (!caf::is_of_component(*token))
      return caf::free_coarray(token, static_cast<caf::Coarray*>(*token));
    void* const memory = caf::component_of(*token);
    if (memory != nullptr) armature::world().free_local_bytes(caf::image().rank, memory);
    *token = only_memory != 0 ? caf::token_of(nullptr) : nullptr;
  });
}

}  // extern "C"
