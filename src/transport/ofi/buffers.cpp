#include "transport/ofi/buffers.hpp"

#include "transport/ofi/fabric.hpp"

namespace armature::transport {

OfiBuffer* OfiBuffers::take() {
  if (!free_.empty()) {
    OfiBuffer* const taken = free_.back();
    free_.pop_back();
    return taken;
  }
  auto made = std::make_unique<OfiBuffer>();
  made->memory = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  made->bytes = bytes_;
  std::string problem;
  made->registration = fabric_.register_own({made->memory.get(), bytes_}, problem);
  if (!problem.empty()) return nullptr;
  all_.push_back(std::move(made));
  return all_.back().get();
}

void OfiBuffers::unregister() {
  for (const auto& buffer : all_)
    if (buffer->registration != nullptr) (void)fi_close(&buffer->registration->fid);
}

}  // namespace armature::transport
