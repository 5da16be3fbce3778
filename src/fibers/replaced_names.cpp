// The loader knows the names of the original program: of an address in a copy it is asked what lies
// there in the original.
#include "fibers/replaced_names.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <span>
#include <vector>

#include "image/copies.hpp"

namespace armature::fibers {
namespace {

void* original(const void* address) {
  return reinterpret_cast<void*>(
      image::copies()->original_of(reinterpret_cast<std::uintptr_t>(address)));
}

/// Changes what was found for the original to what it is in the copy that holds the address.
int in_copy(int found, const void* address, Dl_info* info) {
  const image::Copies& copies = *image::copies();
  const int rank = copies.owner(reinterpret_cast<std::uintptr_t>(address));
  if (found == 0 || rank < 0) return found;
  const auto own = [&](void* of_original) {
    return reinterpret_cast<void*>(
        copies.own_of(rank, reinterpret_cast<std::uintptr_t>(of_original)));
  };
  info->dli_fbase = own(info->dli_fbase);
  if (info->dli_saddr != nullptr) info->dli_saddr = own(info->dli_saddr);
  return found;
}

int name(const void* address, Dl_info* info) {
  return in_copy(dladdr(original(address), info), address, info);
}

int name_with_more(const void* address, Dl_info* info, void** more, int what) {
  return in_copy(dladdr1(original(address), info, more, what), address, info);
}

std::vector<void*> originals(void* const* addresses, int count) {
  std::vector<void*> all;
  for (void* const address : std::span(addresses, static_cast<std::size_t>(count < 0 ? 0 : count)))
    all.push_back(original(address));
  return all;
}

char** name_all(void* const* addresses, int count) {
  return backtrace_symbols(originals(addresses, count).data(), count);
}

void write_names(void* const* addresses, int count, int file) {
  backtrace_symbols_fd(originals(addresses, count).data(), count, file);
}

}  // namespace

void replace_names(image::Plan& plan) {
  plan.replace("dladdr", name);
  plan.replace("dladdr1", name_with_more);
  plan.replace("backtrace_symbols", name_all);
  plan.replace("backtrace_symbols_fd", write_names);
}

}  // namespace armature::fibers
