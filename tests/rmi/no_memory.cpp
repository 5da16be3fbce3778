// A rank on another node has no memory for the arguments of a call. Its caller is told so. The
// rank, which waited for something else when the call came in, goes on as before.
#include <cstddef>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

namespace {

using armature::Errc;

constexpr std::size_t long_bytes = 8 << 20;

std::size_t count(const std::vector<std::byte>& bytes) { return bytes.size(); }
int twice(int number) { return 2 * number; }

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

/// All that there is, but for less than half of what the arguments need.
std::vector<armature::global_ptr<std::byte>> take_all(armature::World& world) {
  std::vector<armature::global_ptr<std::byte>> taken;
  for (std::size_t bytes = 1 << 30; bytes >= long_bytes / 2;) {
    try {
      taken.push_back(world.allocate_local<std::byte>(bytes));
    } catch (const armature::Error& error) {
      require(error.code() == Errc::out_of_memory, "an error that is none of memory");
      bytes /= 2;
    }
  }
  return taken;
}

Errc code_of_call(const std::vector<std::byte>& bytes) {
  try {
    (void)armature::sync(1, count, bytes);
  } catch (const armature::Error& error) {
    return error.code();
  }
  return Errc::misuse;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const std::vector<std::byte> bytes(long_bytes);
    std::vector<armature::global_ptr<std::byte>> taken;
    if (world.rank() == 1) taken = take_all(world);
    world.barrier();
    if (world.rank() == 0) {
      for (int turn = 0; turn < 3; ++turn)
        require(code_of_call(bytes) == Errc::out_of_memory, "there was memory, or another error");
      require(armature::sync(1, twice, 21) == 42, "a call after that");
    }
    world.barrier();
    for (const auto& piece : taken) world.free_local(piece);
    world.barrier();
    if (world.rank() == 0)
      require(armature::sync(1, count, bytes) == long_bytes, "a call when there is memory again");
  });
}
