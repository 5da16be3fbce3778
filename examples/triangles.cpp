// Counts the triangles of a random graph of the kind that social networks are (R-MAT), and the
// vertices of its largest component. The numbers are the same on any number of ranks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <armature/algorithm.hpp>
#include <armature/armature.hpp>
#include <armature/container.hpp>

int main(int argc, char** argv) {
  const int scale = argc > 1 ? std::atoi(argv[1]) : 10;  // 2^scale vertices
  if (scale < 1 || scale > 30) {
    std::fprintf(stderr, "triangles: a scale of 1 to 30 is wanted, not %s\n", argv[1]);
    return 2;
  }
  return armature::run(argc, argv, [scale](armature::World& world) {
    const std::size_t vertices = std::size_t{1} << scale;
    armature::distributed_graph<> graph(world, vertices, armature::Placement::cyclic);
    armature::add_rmat_edges(graph, scale, 8 * vertices, 42);
    const std::uint64_t triangles = armature::triangle_count(graph);

    auto components = armature::connected_components(graph);
    armature::distributed_map<std::size_t, long> sizes(world);
    armature::for_each(components, [&](std::size_t label) { sizes.async_combine(label, 1); });
    const long largest = sizes.transform_reduce(0L, armature::Maximum(),
                                                [](std::size_t, long size) { return size; });

    const auto levels = armature::breadth_first_levels(graph, 0);
    const auto reached =
        armature::count_if(levels, [](std::size_t level) { return level != armature::unreached; });
    if (world.rank() == 0)
      std::printf("%llu triangles, %ld vertices in the largest component, %zu can be reached\n",
                  static_cast<unsigned long long>(triangles), largest, reached);
  });
}
