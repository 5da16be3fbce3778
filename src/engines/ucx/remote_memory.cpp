#include "engines/ucx/remote_memory.hpp"

#include <algorithm>
#include <utility>

namespace armature::transport {

std::vector<std::byte> UcxRemoteMemory::register_here(std::span<std::byte> memory) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory.data();
  params.length = memory.size();
  std::vector<std::byte> contents;
  if (worker_.allocates()) {
    params.field_mask |= UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    params.flags = UCP_MEM_MAP_ALLOCATE | UCP_MEM_MAP_FIXED;
    contents.assign(memory.begin(), memory.end());
  }
  ucp_mem_h mapped = nullptr;
  if (!worker_.is_one_sided() || ucp_mem_map(worker_.context(), &params, &mapped) != UCS_OK)
    return {};
  void* key = nullptr;
  std::size_t bytes = 0;
  if (ucp_rkey_pack(worker_.context(), mapped, &key, &bytes) != UCS_OK) {
    ucp_mem_unmap(worker_.context(), mapped);
    return {};
  }
  std::ranges::copy(contents, memory.begin());
  registered_.emplace(memory.data(), mapped);
  const auto* const first = static_cast<const std::byte*>(key);
  std::vector<std::byte> packed(first, first + bytes);
  ucp_rkey_buffer_release(key);
  return packed;
}

void UcxRemoteMemory::unregister(std::span<std::byte> memory) {
  const auto found = registered_.find(memory.data());
  if (found == registered_.end()) return;
  ucp_mem_unmap(worker_.context(), found->second);
  registered_.erase(found);
}

ucp_rkey_h UcxRemoteMemory::take_key(ucp_ep_h from, std::span<const std::byte> packed) {
  ucp_rkey_h key = nullptr;
  if (!worker_.is_one_sided() || packed.empty() ||
      ucp_ep_rkey_unpack(from, packed.data(), &key) != UCS_OK)
    return nullptr;
  keys_.push_back(key);
  return key;
}

void UcxRemoteMemory::destroy_key(ucp_rkey_h key) {
  if (std::erase(keys_, key) != 0) ucp_rkey_destroy(key);
}

void UcxRemoteMemory::destroy_keys() {
  for (ucp_rkey_h const key : std::exchange(keys_, {})) ucp_rkey_destroy(key);
}

void UcxRemoteMemory::unregister_all() {
  for (const auto& [begin, memory] : std::exchange(registered_, {}))
    ucp_mem_unmap(worker_.context(), memory);
}

}  // namespace armature::transport
