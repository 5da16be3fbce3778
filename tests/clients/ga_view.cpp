// Arrays of Global Arrays as distributed arrays: expressions and copies go to the elements that GA
// sees, and the other way round.
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include <armature/array.hpp>
#include <armature/array/global_array.hpp>

namespace {

using armature::from_global_array;
using armature::Range;

int wrong = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++wrong;
  std::fprintf(stderr, "%d: not so: %s\n", GA_Nodeid(), what);
}

template <class T>
std::vector<T> got(int array, int rows, int columns) {
  std::vector<T> elements(static_cast<std::size_t>(rows * columns));
  int lo[] = {0, 0}, hi[] = {rows - 1, columns - 1}, ld[] = {columns};
  NGA_Get(array, lo, hi, elements.data(), ld);
  return elements;
}

/// A matrix of GA, transposed to another one, and added to in place.
template <class T>
void matrices(int type) {
  int dims[] = {13, 9}, turned_dims[] = {9, 13};
  const int g_a = NGA_Create(type, 2, dims, const_cast<char*>("a"), nullptr);
  const int g_b = NGA_Create(type, 2, turned_dims, const_cast<char*>("b"), nullptr);
  {
    auto a = from_global_array<T, 2>(g_a), b = from_global_array<T, 2>(g_b);
    expect(a.name() == "a" && a.extent(0) == 13 && a.extent(1) == 9, "its name and shape");
    generate(a, [](const auto& i) { return static_cast<T>(static_cast<int>(100 * i[0] + i[1])); });
    const std::vector<T> elements = got<T>(g_a, 13, 9);
    for (int i = 0; i < 13; ++i)
      for (int j = 0; j < 9; ++j)
        expect(elements[static_cast<std::size_t>(i * 9 + j)] == static_cast<T>(100 * i + j),
               "GA sees the elements");
    transpose(b, a);
    const std::vector<T> turned = got<T>(g_b, 9, 13);
    for (int i = 0; i < 13; ++i)
      for (int j = 0; j < 9; ++j)
        expect(turned[static_cast<std::size_t>(j * 13 + i)] == static_cast<T>(100 * i + j),
               "GA sees the transpose");
    // A put of GA is read here, whoever has the elements.
    if (GA_Nodeid() == GA_Nnodes() - 1) {
      int lo[] = {3, 2}, hi[] = {5, 7}, ld[] = {6};
      std::vector<T> ones(18, T(1));
      NGA_Put(g_a, lo, hi, ones.data(), ld);
    }
    GA_Sync();
    expect((a[{Range(3, 6), Range(2, 8)}].get()) == std::vector<T>(18, T(1)), "a put of GA");
    // A copy to an array of our own, of another distribution.
    armature::distributed_array<T, 2> own(
        a.team(), {13, 9}, {.distribution = {armature::Distribution::cyclic(2), {}}});
    own.all() = a.all();
    expect(own.all().get() == got<T>(g_a, 13, 9), "a copy");
    own.fence();
  }
  GA_Destroy(g_b);
  GA_Destroy(g_a);
}

void irregular_and_cubic() {
  const int half = GA_Nnodes() > 1 ? 2 : 1;
  int dims[] = {10, 5}, blocks[] = {half, 1}, map[] = {0, 7, 0};
  if (half == 1) map[1] = 0;
  const int g_i = NGA_Create_irreg(C_LONG, 2, dims, const_cast<char*>("i"), blocks, map);
  int cube[] = {4, 5, 6};
  const int g_c = NGA_Create(C_DBL, 3, cube, const_cast<char*>("c"), nullptr);
  {
    auto i = from_global_array<long, 2>(g_i);
    expect(i.grid()[0] == half && i.region(0)[0].count() == (half == 2 ? 7 : 10), "its blocks");
    generate(i, [](const auto& at) { return at[0] * at[1]; });
    expect(sum(i) == 45 * 10, "a sum");
    i.fence();
    auto c = from_global_array<double, 3>(g_c);
    fill(c, 2);
    double product = GA_Ddot(g_c, g_c);
    expect(product == 4 * 120, "GA's own product");
    expect(dot(c, c) == product, "our product");
  }
  GA_Destroy(g_c);
  GA_Destroy(g_i);
}

template <class F>
void refused(const char* word, F call) {
  try {
    call();
    expect(false, word);
  } catch (const armature::Error& error) {
    expect(std::string(error.what()).find(word) != std::string::npos &&
               std::string(error.what()).find("'d'") != std::string::npos,
           error.what());
  }
}

void mistakes() {
  int dims[] = {20, 20}, width[] = {1, 1}, blocks[] = {3, 3};
  const int g_d = NGA_Create(C_DBL, 2, dims, const_cast<char*>("d"), nullptr);
  refused("type 1004, not 1001", [&] { (void)from_global_array<int, 2>(g_d); });
  refused("2 dimensions, not 3", [&] { (void)from_global_array<double, 3>(g_d); });
  GA_Destroy(g_d);
  const int g_g = NGA_Create_ghosts(C_DBL, 2, dims, width, const_cast<char*>("d"), nullptr);
  refused("ghost cells", [&] { (void)from_global_array<double, 2>(g_g); });
  GA_Destroy(g_g);
  const int g_b = GA_Create_handle();
  GA_Set_data(g_b, 2, dims, C_DBL);
  GA_Set_array_name(g_b, const_cast<char*>("d"));
  GA_Set_block_cyclic(g_b, blocks);
  GA_Allocate(g_b);
  refused("dealt out", [&] { (void)from_global_array<double, 2>(g_b); });
  GA_Destroy(g_b);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 100000, 100000);
  matrices<double>(C_DBL);
  matrices<int>(C_INT);
  matrices<std::complex<double>>(C_DCPL);
  irregular_and_cubic();
  mistakes();
  int all = wrong;
  GA_Igop(&all, 1, const_cast<char*>("+"));
  if (GA_Nodeid() == 0 && all == 0) std::printf("everything is right\n");
  GA_Terminate();
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
