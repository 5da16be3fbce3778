#include "engines/ofi/remote_memory.hpp"

#include <cstring>
#include <utility>

namespace armature::transport {

std::vector<std::byte> OfiRemoteMemory::register_here(std::span<std::byte> memory) {
  if (!fabric_.is_one_sided()) return {};
  fid_mr* const made = fabric_.register_for_others(memory, ++last_key_);
  if (made == nullptr) return {};
  const OfiKey key{fi_mr_key(made),
                   fabric_.names_addresses() ? 0 : reinterpret_cast<std::uint64_t>(memory.data())};
  if (key.key == FI_KEY_NOTAVAIL) return (void)fi_close(&made->fid), std::vector<std::byte>();
  registered_.emplace(memory.data(), made);
  std::vector<std::byte> packed(sizeof key);
  std::memcpy(packed.data(), &key, sizeof key);
  return packed;
}

void OfiRemoteMemory::unregister(std::span<std::byte> memory) {
  const auto found = registered_.find(memory.data());
  if (found == registered_.end()) return;
  (void)fi_close(&found->second->fid);
  registered_.erase(found);
}

const OfiKey* OfiRemoteMemory::take_key(std::span<const std::byte> packed) {
  OfiKey key;
  if (!fabric_.is_one_sided() || packed.size() != sizeof key) return nullptr;
  std::memcpy(&key, packed.data(), sizeof key);
  return keys_.emplace_back(std::make_unique<OfiKey>(key)).get();
}

void OfiRemoteMemory::forget_key(const void* key) {
  std::erase_if(keys_, [&](const auto& one) { return one.get() == key; });
}

void OfiRemoteMemory::forget_all() {
  for (const auto& [begin, memory] : std::exchange(registered_, {})) (void)fi_close(&memory->fid);
  keys_.clear();
}

}  // namespace armature::transport
