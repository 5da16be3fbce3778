// Functions that have captured a pointer or `this`, in a job that checks everything: each is an
// error at the call, whoever owns the element. Those that capture values work.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include <armature/armature.hpp>
#include <armature/container.hpp>

namespace {

int wrong = 0;
long of_process = 4;  // also where heaps of virtual ranks lie in segments

template <class F>
void refused(const char* what, const std::string& memory, F call) {
  try {
    call();
    std::fprintf(stderr, "%s: no error\n", what);
    ++wrong;
  } catch (const armature::Error& error) {
    const std::string text = error.what();
    if (error.code() == armature::Errc::bad_argument && text.find(memory) != std::string::npos &&
        text.find("has captured 0x") != std::string::npos)
      return;
    std::fprintf(stderr, "%s: %s\n", what, error.what());
    ++wrong;
  }
}

struct Counter {
  long count = 0;
  void add_to(const armature::distributed_map<int, long>& map) {
    map.async_visit(1, [this](int, long& value) { value += count; });
  }
};

void use(armature::World& world) {
  armature::distributed_map<int, long> map(world);
  armature::distributed_vector<long> vector(world, 8);
  armature::distributed_graph<long> graph(world, 8);
  long here = 3;
  long* const on_stack = &here;
  long* owned = &of_process;
  Counter counter;
  const std::string stack = "stack";
  for (int key = 0; key < 8; ++key) {
    const auto at = static_cast<std::size_t>(key);
    refused("map", stack, [&] { map.async_visit(key, [=](int, long& v) { v += *on_stack; }); });
    refused("map, asked", stack,
            [&] { map.visit(key, [=](int, long& v) { return v += *on_stack; }); });
    refused("vector", stack, [&] { vector.async_visit(at, [=](long& v) { v += *on_stack; }); });
    refused("vector, asked", "own memory",
            [&] { vector.visit(at, [=](long& v) { return v += *owned; }); });
    refused("graph", "own memory",
            [&] { graph.async_visit(at, [=](auto vertex) { vertex.data() += *owned; }); });
  }
  refused("this", stack, [&] { counter.add_to(map); });

  // Padding is no value. Nor is a word an address in which there are two small numbers.
  struct Padded {
    char letter = 0;
    long number = 0;
  };
  std::array<std::byte, sizeof(Padded)> bytes{};
  for (std::size_t i = 0; i < sizeof(long*); ++i)
    bytes[i] = reinterpret_cast<const std::byte*>(&on_stack)[i];
  Padded padded;
  std::memcpy(static_cast<void*>(&padded), bytes.data(), bytes.size());
  for (const int column : {1, 300, 12'000, 13'000})
    map.async_visit(-1,
                    [padded, row = 5, column](int, long& v) { v = padded.number + row + column; });

  // Values, references to containers and global pointers mean the same everywhere.
  const auto piece = world.allocate<long>(1);
  const auto pointer = piece.on(0);
  const double factor = 2.5;
  for (int key = 0; key < 8; ++key) {
    map.async_visit(key, [factor](int, long& v) { v += static_cast<long>(2 * factor); });
    map.async_visit(key, [pointer](int, long&) { armature::fetch_add(pointer, 1); });
    graph.async_visit(static_cast<std::size_t>(key),
                      [all = map.ref()](auto vertex) { all.async_combine(100, vertex.data()); });
  }
  map.fence();
  graph.fence();
  if (armature::get(pointer) != 8 * world.size() || map.find(3) != 5 * world.size()) ++wrong;
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    use(world);
    if (wrong == 0 && world.rank() == 0) std::puts("every captured address is refused");
    return wrong == 0 ? 0 : 1;
  });
}
