#include <algorithm>
#include <exception>
#include <list>
#include <memory>
#include <string>

#include <armature/rank_local.hpp>
#include <armature/run.hpp>

#include "../departure.hpp"
#include "allocated.hpp"
#include "handle.hpp"
#include "outcome.hpp"

// Storage (revision 0.7): coarrays, their aliases, and memory that other images may reach.

namespace caf::prif {
namespace {

using Allocation = Shape::Allocation;

/// The coarrays of this image.
armature::rank_local<std::list<Allocation*>> allocations;

void clean_up(Allocation& allocation) {
  if (allocation.cleanup == nullptr) return;
  using Cleanup = void(Array * handle, int* stat, Array* message);
  const bool is_of_flang = allocation.compiler_version > 1;
  Handle variable{allocation.first};
  Array handle = scalar_for(is_of_flang, allocation.compiler_version, Attribute::pointer, &variable,
                            sizeof variable, false);
  Array message = scalar_for(is_of_flang, allocation.compiler_version, Attribute::allocatable,
                             nullptr, 0, true);
  int stat = 0;
  reinterpret_cast<Cleanup*>(allocation.cleanup)(&handle, &stat, &message);
  const std::string said = message.base != nullptr ? std::string(text_of(message)) : std::string();
  std::free(message.base);
  if (stat != 0) refuse("its final procedure says " + std::to_string(stat) + ": " + said, stat);
}

/// Ends an allocation. Collective. What its final procedure says is kept, unless another one has
/// said something before: the other images are waited for first.
void release(Allocation& allocation, std::exception_ptr& failure) {
  try {
    clean_up(allocation);
  } catch (...) {
    if (failure == nullptr) failure = std::current_exception();
  }
  if (allocation.token != nullptr)
    free_coarray(&allocation.token, static_cast<Coarray*>(allocation.token));
  std::erase(*allocations, &allocation);
  delete allocation.first;
  delete &allocation;
}

std::vector<std::int64_t> bounds_of(const Array& array) {
  std::vector<std::int64_t> bounds;
  for (std::size_t i = 0; i < array.count(); ++i) bounds.push_back(array.at<std::int64_t>(i));
  return bounds;
}

Shape* make_shape(Allocation* allocation, const Array& lower, const Array& upper) {
  auto* const shape = new Shape{allocation};
  shape->lower = bounds_of(lower);
  shape->upper = bounds_of(upper);
  if (shape->lower.empty() || shape->upper.size() > shape->lower.size() ||
      shape->upper.size() + 1 < shape->lower.size()) {
    const std::string counts = std::to_string(shape->lower.size()) + " lower and " +
                               std::to_string(shape->upper.size()) + " upper cobounds";
    delete shape;
    refuse(counts + ": there must be at least one lower one, and as many or one less upper ones");
  }
  return shape;
}

}  // namespace

std::exception_ptr end_allocations(TeamOfImages& team) {
  std::vector<Allocation*> ending;
  for (Allocation* const allocation : *allocations)
    if (allocation->team == &team) ending.push_back(allocation);
  // Others may use them until they end the team, too; final procedures come behind that.
  if (!ending.empty()) synchronize(team);
  std::exception_ptr failure;
  for (auto last = ending.rbegin(); last != ending.rend(); ++last) release(**last, failure);
  return failure;
}

Shape& shape_of(const Handle& handle) {
  if (handle.shape == nullptr || handle.shape->allocation->token == nullptr) refuse_unallocated();
  return *handle.shape;
}

Coarray& coarray_of(const Handle& handle) {
  return *static_cast<Coarray*>(shape_of(handle).allocation->token);
}

namespace {

armature::Rank rank_at(const Image& me, int image_number) {
  const int images = me.initial.size();
  if (image_number < 1 || image_number > images)
    refuse("image " + std::to_string(image_number) + " is none of the " + std::to_string(images) +
           " images of the initial team");
  return image_number - 1;
}

}  // namespace

Place place_of(const Handle& handle, std::size_t offset, std::size_t bytes, int image_number) {
  const Coarray& coarray = coarray_of(handle);
  const std::size_t begin = offset + handle.shape->offset;
  if (begin > coarray.bytes || bytes > coarray.bytes - begin) refuse_bytes(coarray, begin, bytes);
  return place_at(coarray, begin, rank_at(*coarray.image, image_number));
}

Place place_of(std::intptr_t address, int image_number) {
  return {rank_at(image(), image_number), reinterpret_cast<std::byte*>(address)};
}

}  // namespace caf::prif

extern "C" {

using caf::prif::Array;
using caf::prif::Handle;
using caf::prif::perform;

void _QMprifPprif_allocate_coarray(const Array* lcobounds, const Array* ucobounds,
                                   const std::size_t* bytes, void (*const* cleanup)(),
                                   Handle* handle, void** memory, int* stat, const Array* message,
                                   Array* own_message) {
  perform("allocate", {stat, message, own_message}, [=] {
    caf::Image& me = caf::image();
    auto owned = std::make_unique<caf::prif::Shape::Allocation>();
    caf::prif::Shape::Allocation* const made = owned.get();
    std::unique_ptr<caf::prif::Shape> first(caf::prif::make_shape(made, *lcobounds, *ucobounds));
    made->team = me.current;
    made->bytes = *bytes;
    made->compiler_version = lcobounds->version;
    caf::allocate_coarray(me, &made->token, made->memory, *bytes);
    caf::prif::allocations->push_back(made);
    made->first = first.release();
    (void)owned.release();  // it ends with its team at the latest
    // The memory of the coarray is there, at all images, when one of them goes on.
    caf::synchronize(*me.current);
    made->cleanup = *cleanup;  // of what the caller has got
    *handle = {made->first};
    *memory = made->memory.base;
  });
}

void _QMprifPprif_deallocate_coarrays(const Array* handles, int* stat, const Array* message,
                                      Array* own_message) {
  perform("deallocate", {stat, message, own_message}, [=] {
    caf::synchronize(*caf::image().current);
    for (std::size_t i = 0; i < handles->count(); ++i)
      if (caf::prif::shape_of(handles->at<Handle>(i)).is_alias)
        caf::refuse("an alias is not deallocated: prif_alias_destroy ends it");
    std::exception_ptr failure;
    for (std::size_t i = 0; i < handles->count(); ++i)
      caf::prif::release(*caf::prif::shape_of(handles->at<Handle>(i)).allocation, failure);
    if (failure != nullptr) std::rethrow_exception(failure);
  });
}

void _QMprifPprif_deallocate_coarray(const Handle* handle, int* stat, const Array* message,
                                     Array* own_message) {
  const Array one{const_cast<Handle*>(handle), sizeof *handle, 1, 0, {}, {}};
  _QMprifPprif_deallocate_coarrays(&one, stat, message, own_message);
}

void _QMprifPprif_allocate(const std::size_t* bytes, void** memory, int* stat, const Array* message,
                           Array* own_message) {
  perform("allocate", {stat, message, own_message}, [=] {
    constexpr std::size_t alignment = 64;
    *memory = armature::world().allocate_local_bytes(std::max<std::size_t>(*bytes, 1), alignment);
  });
}

void _QMprifPprif_deallocate(void* const* memory, int* stat, const Array* message,
                             Array* own_message) {
  perform("deallocate", {stat, message, own_message},
          [=] { armature::world().free_local_bytes(caf::image().rank, *memory); });
}

void _QMprifPprif_alias_create(const Handle* source, const Array* lcobounds, const Array* ucobounds,
                               const std::size_t* data_pointer_offset, Handle* alias) {
  perform("alias", {}, [=] {
    const caf::prif::Shape& of = caf::prif::shape_of(*source);
    caf::prif::Shape* const made = caf::prif::make_shape(of.allocation, *lcobounds, *ucobounds);
    made->is_alias = true;
    made->offset = of.offset + *data_pointer_offset;
    *alias = {made};
  });
}

void _QMprifPprif_alias_destroy(const Handle* alias) {
  perform("alias", {}, [=] {
    if (alias->shape == nullptr || !alias->shape->is_alias)
      caf::refuse("the handle is not that of an alias");
    delete alias->shape;
  });
}

void _QMprifPprif_set_context_data(const Handle* handle, void* const* context) {
  perform("context data", {}, [=] { caf::prif::shape_of(*handle).allocation->context = *context; });
}

void _QMprifPprif_get_context_data(const Handle* handle, void** context) {
  perform("context data", {}, [=] { *context = caf::prif::shape_of(*handle).allocation->context; });
}

void _QMprifPprif_size_bytes(const Handle* handle, std::size_t* bytes) {
  perform("size", {}, [=] { *bytes = caf::prif::shape_of(*handle).allocation->bytes; });
}

void _QMprifPprif_local_data_pointer(const Handle* handle, void** memory) {
  perform("local data", {}, [=] {
    *memory = caf::prif::coarray_of(*handle).mine + caf::prif::shape_of(*handle).offset;
  });
}

}  // extern "C"
