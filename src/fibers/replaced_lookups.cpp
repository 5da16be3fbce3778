// The loader knows the original program, and not the copies: a name that a copy asks for is looked
// up for the original, and what lies in that is the copy's then. Libraries that a rank loads are
// the process's. The loader binds what they name of the program to the original, whose variables no
// rank has: such a library is refused. The others keep the rank in its process, where alone they
// lie.
#include "fibers/replaced_lookups.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "image/copies.hpp"
#include "image/users_of_program.hpp"
#include "wait/rank_context.hpp"

namespace armature::fibers {
namespace {

using image::Copies;
using image::Loaded;

/// The libraries that ranks of this process have loaded, and why others could not be.
struct LoadedByRanks {
  struct Handle {
    int rank;
    void* handle;
  };
  struct Refusal {
    int rank;
    std::string why;
    bool is_said = false;  // the text lasts until the next call, as dlerror's
  };
  std::mutex lock;
  std::vector<std::uintptr_t> from_start;  // where libraries lie that no rank has loaded
  std::vector<Handle> handles;
  std::list<Refusal> refusals;  // the last one of a rank, for dlerror
};

void refuse(LoadedByRanks& loaded, int rank, std::string why) {
  std::erase_if(loaded.refusals, [&](const auto& one) { return one.rank == rank; });
  if (!why.empty()) loaded.refusals.push_back({rank, std::move(why)});
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// The rank whose copy calls. A function that ends with the call returns to who has called it,
/// which may be a library.
int rank_that_calls(const void* caller) {
  const int owner = image::copies()->owner(number(caller));
  if (owner >= 0) return owner;
  const wait::RankContext* const me = wait::current_rank();
  return me != nullptr ? static_cast<int>(me->space.me()) : -1;
}

void* look_up(void* handle, const char* name, const char* version) {
  return version != nullptr ? dlvsym(handle, name, version) : dlsym(handle, name);
}

bool lies_in(const Loaded& image, std::uintptr_t address) {
  return image.part_of(address - image.base) != nullptr;
}

/// Looks up what RTLD_NEXT stands for: the first library behind the caller's that has it.
void* look_behind(std::uintptr_t caller, const char* name, const char* version) {
  const std::vector<Loaded> all = Loaded::all();
  const auto own =
      std::ranges::find_if(all, [&](const Loaded& one) { return lies_in(one, caller); });
  for (auto next = own == all.end() ? own : own + 1; next != all.end(); ++next) {
    void* const library = dlopen(next->path, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* const found = look_up(library, name, version);
    dlclose(library);
    // The loader looks into what that library needs, too.
    if (found != nullptr && lies_in(*next, number(found))) return found;
  }
  return nullptr;
}

/// The name as the copy that calls means it.
void* look_up_for(const void* caller, void* handle, const char* name, const char* version) {
  const base::ProcessMemory processes;  // the loader keeps some
  const Copies& copies = *image::copies();
  const int rank = rank_that_calls(caller);
  void* const found = handle == RTLD_NEXT
                          ? look_behind(copies.original_of(number(caller)), name, version)
                          : look_up(handle, name, version);
  auto& loaded = base::state<LoadedByRanks>();
  const std::scoped_lock locked(loaded.lock);
  const bool is_behind = handle == RTLD_NEXT && found == nullptr;
  refuse(loaded, rank,
         is_behind ? fmt::format("no library behind the program has {}{}{}", name,
                                 version != nullptr ? " of version " : "",
                                 version != nullptr ? version : "")
                   : "");
  if (found == nullptr || rank < 0) return found;
  return reinterpret_cast<void*>(copies.own_of(rank, number(found)));
}

void* find(void* handle, const char* name) {
  return look_up_for(__builtin_return_address(0), handle, name, nullptr);
}

void* find_version(void* handle, const char* name, const char* version) {
  return look_up_for(__builtin_return_address(0), handle, name, version);
}

/// A library's file where the program finds it, which may not be where this library would: in a
/// folder of the program's. Empty where the name will do: of one that is loaded, too, which may lie
/// elsewhere.
std::string found_file(const char* file) {
  if (file == nullptr || std::string_view(file).find('/') != std::string_view::npos) return {};
  if (void* const there = dlopen(file, RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(there);
    return {};
  }
  void* const program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  std::vector<std::byte> room(size.dls_size);
  auto& folders = *reinterpret_cast<Dl_serinfo*>(room.data());
  folders.dls_size = size.dls_size;
  folders.dls_cnt = size.dls_cnt;
  std::string found;
  if (dlinfo(program, RTLD_DI_SERINFO, &folders) == 0)
    for (unsigned i = 0; i < folders.dls_cnt && found.empty(); ++i)
      if (std::string place = fmt::format("{}/{}", folders.dls_serpath[i].dls_name, file);
          access(place.c_str(), R_OK) == 0)
        found = std::move(place);
  dlclose(program);
  return found;
}

/// Why a library cannot be used, or another one that was not there before; empty: they can. One
/// that was refused may still be there, as the loader unloads not all.
std::string why_refused(const LoadedByRanks& loaded, const std::vector<Loaded>& before,
                        void* handle) {
  const link_map* named = nullptr;
  (void)dlinfo(handle, RTLD_DI_LINKMAP, &named);
  for (const Loaded& one : Loaded::all()) {
    const bool is_named = named != nullptr && named->l_addr == one.base &&
                          std::ranges::find(loaded.from_start, one.base) == loaded.from_start.end();
    if (!is_named && std::ranges::find(before, one.base, &Loaded::base) != before.end()) continue;
    if (const auto name = image::name_of_program(*image::copies(), one))
      return fmt::format(
          "--private-globals: {} uses {} of the program, of which each rank has its own: link the "
          "program with the library and name it (--private-globals=program,{}), or let the ranks "
          "of a process share the program's globals (--private-globals=off)",
          one.path, *name, one.name());
  }
  return {};
}

void* load(const char* file, int flags) {
  const int rank = rank_that_calls(__builtin_return_address(0));
  const base::ProcessMemory processes;
  auto& loaded = base::state<LoadedByRanks>();
  const std::scoped_lock locked(loaded.lock);
  refuse(loaded, rank, "");
  const std::vector<Loaded> before = Loaded::all();
  const std::string place = found_file(file);
  // All of it is bound at once, so that it can be looked at.
  void* const handle =
      dlopen(place.empty() ? file : place.c_str(), (flags & ~RTLD_LAZY) | RTLD_NOW);
  if (handle == nullptr || file == nullptr) return handle;
  // A library that a rank has loaded has one use more then, up to a dlclose of its own.
  if ((flags & RTLD_NOLOAD) != 0 &&
      std::ranges::find(loaded.handles, handle, &LoadedByRanks::Handle::handle) ==
          loaded.handles.end())
    return handle;
  if (std::string why = why_refused(loaded, before, handle); !why.empty()) {
    refuse(loaded, rank, std::move(why));
    dlclose(handle);
    return nullptr;
  }
  if (wait::runs_rank()) {
    loaded.handles.push_back({rank, handle});
    ++wait::this_rank("dlopen").held_here;
  }
  return handle;
}

int unload(void* handle) {
  const int rank = rank_that_calls(__builtin_return_address(0));
  const base::ProcessMemory processes;
  auto& loaded = base::state<LoadedByRanks>();
  const std::scoped_lock locked(loaded.lock);
  const auto one = std::ranges::find_if(loaded.handles, [&](const LoadedByRanks::Handle& its) {
    return its.rank == rank && its.handle == handle;
  });
  if (one != loaded.handles.end() && wait::runs_rank()) {
    loaded.handles.erase(one);
    --wait::this_rank("dlclose").held_here;
  }
  return dlclose(handle);
}

char* say_error() {
  const int rank = rank_that_calls(__builtin_return_address(0));
  const base::ProcessMemory processes;
  auto& loaded = base::state<LoadedByRanks>();
  const std::scoped_lock locked(loaded.lock);
  const auto one = std::ranges::find(loaded.refusals, rank, &LoadedByRanks::Refusal::rank);
  if (one != loaded.refusals.end() && !std::exchange(one->is_said, true)) return one->why.data();
  refuse(loaded, rank, "");
  return dlerror();
}

}  // namespace

void replace_lookups(image::Plan& plan) {
  auto& from_start = base::state<LoadedByRanks>().from_start;
  for (const Loaded& one : Loaded::all()) from_start.push_back(one.base);
  plan.replace("dlsym", find);
  plan.replace("dlvsym", find_version);
  plan.replace("dlopen", load);
  plan.replace("dlclose", unload);
  plan.replace("dlerror", say_error);
}

}  // namespace armature::fibers
