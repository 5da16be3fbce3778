#include "engines/ofi/buffers.hpp"

#include <utility>

#include "engines/ofi/fabric.hpp"

namespace armature::transport {
namespace {

void unregister_one(const OfiBuffer& buffer) {
  if (buffer.registration != nullptr) (void)fi_close(&buffer.registration->fid);
}

}  // namespace

OfiBuffer* OfiBuffers::take(std::size_t bytes) {
  const bool is_small = bytes <= small_bytes && small_bytes < bytes_;
  std::vector<OfiBuffer*>& free = is_small ? free_small_ : free_;
  if (free.empty()) return make(is_small ? small_bytes : bytes_);
  OfiBuffer* const taken = free.back();
  free.pop_back();
  return taken;
}

OfiBuffer* OfiBuffers::make(std::size_t bytes) {
  auto made = std::make_unique<OfiBuffer>();
  made->memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  made->bytes = bytes;
  made->place = all_.size();
  std::string problem;
  made->registration =
      fabric_.register_own({made->memory.get(), bytes}, FI_SEND | FI_RECV, problem);
  if (!problem.empty()) return nullptr;
  all_.push_back(std::move(made));
  return all_.back().get();
}

void OfiBuffers::give_back(OfiBuffer& buffer) {
  const bool is_small = buffer.bytes < bytes_;
  std::vector<OfiBuffer*>& free = is_small ? free_small_ : free_;
  if (free.size() >= (is_small ? small_kept_max : kept_max)) return destroy(buffer);
  free.push_back(&buffer);
}

/// The last of all takes its place.
void OfiBuffers::destroy(OfiBuffer& buffer) {
  unregister_one(buffer);
  const std::size_t place = buffer.place;
  std::swap(all_[place], all_.back());
  all_[place]->place = place;
  all_.pop_back();
}

void OfiBuffers::unregister() {
  for (const auto& buffer : all_) unregister_one(*buffer);
}

}  // namespace armature::transport
