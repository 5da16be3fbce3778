#include <cstddef>
#include <string>

#include <armature/get.hpp>
#include <armature/layer/direct.hpp>
#include <armature/put.hpp>

#include "../events.hpp"
#include "../transfer.hpp"
#include "handle.hpp"
#include "outcome.hpp"

// Reads and writes of other images' memory, with a notification of the other image or without.

namespace caf::prif {
namespace {

/// The begin of an access, by a coarray's handle or by an address.
struct Where {
  const Handle* handle;
  std::size_t offset;
  std::intptr_t address;

  [[nodiscard]] Place place(int image_number, std::size_t bytes) const {
    return handle != nullptr ? place_of(*handle, offset, bytes, image_number)
                             : place_of(address, image_number);
  }
};
Where in(const Handle* handle, const std::size_t* offset) { return {handle, *offset, 0}; }
Where at(const std::intptr_t* address) { return {nullptr, 0, *address}; }

void put(int image_number, const Where& to, void* const* from, std::size_t bytes) {
  const Place place = to.place(image_number, bytes);
  if (!armature::layer::put_direct(place.rank, place.address, *from, bytes))
    armature::put_bytes(place.as<void>(), *from, bytes);
}

void get(int image_number, const Where& from, void* const* to, std::size_t bytes) {
  const Place place = from.place(image_number, bytes);
  if (!armature::layer::get_direct(place.rank, *to, place.address, bytes))
    armature::get_bytes(*to, place.as<const void>(), bytes);
}

void notify(int image_number, const Where& event) {
  post(event.place(image_number, sizeof(std::uint64_t)).as<std::uint64_t>());
}

/// Elements with strides, at another image and here.
struct Strided {
  const Array* there;
  void* const* base;
  const Array* here;
  std::size_t element_bytes;
  const Array* extent;

  [[nodiscard]] ElementType type() const { return {Type::derived, 0, element_bytes}; }
  [[nodiscard]] Section section(const Array& strides, std::byte* begin) const {
    if (strides.count() != extent->count() || extent->count() > dimensions_max)
      refuse(std::to_string(strides.count()) + " strides for " + std::to_string(extent->count()) +
             " dimensions");
    Section section(begin);
    for (std::size_t i = 0; i < extent->count(); ++i)
      section.add(extent->at<std::size_t>(i), strides.at<std::ptrdiff_t>(i));
    return section;
  }
  [[nodiscard]] Section mine() const { return section(*here, static_cast<std::byte*>(*base)); }
  [[nodiscard]] RemoteSection remote(int image_number, const Where& where) const {
    const Place place = where.place(image_number, 0);
    const Section all = section(*there, place.address);
    if (where.handle != nullptr && all.elements() > 0) {
      const Coarray& coarray = coarray_of(*where.handle);
      const Extent range = extent_of(all, element_bytes);
      const std::byte* const begin = at_rank(*coarray.image, coarray.mine, place.rank);
      if (range.begin < begin || range.begin + range.bytes > begin + coarray.bytes)
        refuse_bytes(coarray, static_cast<std::size_t>(range.begin - begin), range.bytes);
    }
    return {place.rank, all, type()};
  }
};

void put(int image_number, const Where& to, const Strided& strided) {
  caf::put(strided.remote(image_number, to), strided.mine(), strided.type(), true);
}
void get(int image_number, const Where& from, const Strided& strided) {
  caf::get(strided.mine(), strided.type(), strided.remote(image_number, from), true);
}

}  // namespace
}  // namespace caf::prif

extern "C" {

using caf::prif::Array;
using caf::prif::Handle;
using caf::prif::perform;

void _QMprifPprif_get(const int* image, const Handle* handle, const std::size_t* offset,
                      void* const* buffer, const std::size_t* bytes, int* stat,
                      const Array* message, Array* own_message) {
  perform("get", {stat, message, own_message},
          [=] { caf::prif::get(*image, caf::prif::in(handle, offset), buffer, *bytes); });
}

void _QMprifPprif_get_indirect(const int* image, const std::intptr_t* remote, void* const* buffer,
                               const std::size_t* bytes, int* stat, const Array* message,
                               Array* own_message) {
  perform("get", {stat, message, own_message},
          [=] { caf::prif::get(*image, caf::prif::at(remote), buffer, *bytes); });
}

void _QMprifPprif_put(const int* image, const Handle* handle, const std::size_t* offset,
                      void* const* buffer, const std::size_t* bytes, int* stat,
                      const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message},
          [=] { caf::prif::put(*image, caf::prif::in(handle, offset), buffer, *bytes); });
}

void _QMprifPprif_put_with_notify(const int* image, const Handle* handle, const std::size_t* offset,
                                  void* const* buffer, const std::size_t* bytes,
                                  const Handle* notified, const std::size_t* notify_offset,
                                  int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::in(handle, offset), buffer, *bytes);
    caf::prif::notify(*image, caf::prif::in(notified, notify_offset));
  });
}

void _QMprifPprif_put_with_notify_indirect(const int* image, const Handle* handle,
                                           const std::size_t* offset, void* const* buffer,
                                           const std::size_t* bytes, const std::intptr_t* notified,
                                           int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::in(handle, offset), buffer, *bytes);
    caf::prif::notify(*image, caf::prif::at(notified));
  });
}

void _QMprifPprif_put_indirect(const int* image, const std::intptr_t* remote, void* const* buffer,
                               const std::size_t* bytes, int* stat, const Array* message,
                               Array* own_message) {
  perform("put", {stat, message, own_message},
          [=] { caf::prif::put(*image, caf::prif::at(remote), buffer, *bytes); });
}

void _QMprifPprif_put_indirect_with_notify(const int* image, const std::intptr_t* remote,
                                           void* const* buffer, const std::size_t* bytes,
                                           const Handle* notified, const std::size_t* notify_offset,
                                           int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::at(remote), buffer, *bytes);
    caf::prif::notify(*image, caf::prif::in(notified, notify_offset));
  });
}

void _QMprifPprif_put_indirect_with_notify_indirect(const int* image, const std::intptr_t* remote,
                                                    void* const* buffer, const std::size_t* bytes,
                                                    const std::intptr_t* notified, int* stat,
                                                    const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::at(remote), buffer, *bytes);
    caf::prif::notify(*image, caf::prif::at(notified));
  });
}

void _QMprifPprif_get_strided(const int* image, const Handle* handle, const std::size_t* offset,
                              const Array* there, void* const* buffer, const Array* here,
                              const std::size_t* element_bytes, const Array* extent, int* stat,
                              const Array* message, Array* own_message) {
  perform("get", {stat, message, own_message}, [=] {
    caf::prif::get(*image, caf::prif::in(handle, offset),
                   {there, buffer, here, *element_bytes, extent});
  });
}

void _QMprifPprif_get_strided_indirect(const int* image, const std::intptr_t* remote,
                                       const Array* there, void* const* buffer, const Array* here,
                                       const std::size_t* element_bytes, const Array* extent,
                                       int* stat, const Array* message, Array* own_message) {
  perform("get", {stat, message, own_message}, [=] {
    caf::prif::get(*image, caf::prif::at(remote), {there, buffer, here, *element_bytes, extent});
  });
}

void _QMprifPprif_put_strided(const int* image, const Handle* handle, const std::size_t* offset,
                              const Array* there, void* const* buffer, const Array* here,
                              const std::size_t* element_bytes, const Array* extent, int* stat,
                              const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::in(handle, offset),
                   {there, buffer, here, *element_bytes, extent});
  });
}

void _QMprifPprif_put_strided_with_notify(const int* image, const Handle* handle,
                                          const std::size_t* offset, const Array* there,
                                          void* const* buffer, const Array* here,
                                          const std::size_t* element_bytes, const Array* extent,
                                          const Handle* notified, const std::size_t* notify_offset,
                                          int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::in(handle, offset),
                   {there, buffer, here, *element_bytes, extent});
    caf::prif::notify(*image, caf::prif::in(notified, notify_offset));
  });
}

void _QMprifPprif_put_strided_with_notify_indirect(
    const int* image, const Handle* handle, const std::size_t* offset, const Array* there,
    void* const* buffer, const Array* here, const std::size_t* element_bytes, const Array* extent,
    const std::intptr_t* notified, int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::in(handle, offset),
                   {there, buffer, here, *element_bytes, extent});
    caf::prif::notify(*image, caf::prif::at(notified));
  });
}

void _QMprifPprif_put_strided_indirect(const int* image, const std::intptr_t* remote,
                                       const Array* there, void* const* buffer, const Array* here,
                                       const std::size_t* element_bytes, const Array* extent,
                                       int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::at(remote), {there, buffer, here, *element_bytes, extent});
  });
}

void _QMprifPprif_put_strided_indirect_with_notify(const int* image, const std::intptr_t* remote,
                                                   const Array* there, void* const* buffer,
                                                   const Array* here,
                                                   const std::size_t* element_bytes,
                                                   const Array* extent, const Handle* notified,
                                                   const std::size_t* notify_offset, int* stat,
                                                   const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::at(remote), {there, buffer, here, *element_bytes, extent});
    caf::prif::notify(*image, caf::prif::in(notified, notify_offset));
  });
}

void _QMprifPprif_put_strided_indirect_with_notify_indirect(
    const int* image, const std::intptr_t* remote, const Array* there, void* const* buffer,
    const Array* here, const std::size_t* element_bytes, const Array* extent,
    const std::intptr_t* notified, int* stat, const Array* message, Array* own_message) {
  perform("put", {stat, message, own_message}, [=] {
    caf::prif::put(*image, caf::prif::at(remote), {there, buffer, here, *element_bytes, extent});
    caf::prif::notify(*image, caf::prif::at(notified));
  });
}

}  // extern "C"
