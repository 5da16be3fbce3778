// Sample sort of integers with an MPI library, as examples/sample_sort has it by messages: the
// numbers are sorted into a bucket for each process, which all exchange at once. Prints the
// seconds.
//
//   mpicxx -std=c++20 -O3 sample_sort.cpp -o sample_sort
//   mpirun -n 2 ./sample_sort 10000000
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

using Numbers = std::vector<int>;
constexpr std::size_t samples_each = 4096;  // as many as Armature's ways take

Numbers common_splitters(const Numbers& mine, int processes) {
  Numbers samples, all(samples_each * static_cast<std::size_t>(processes));
  for (std::size_t i = 0; i < samples_each; ++i)
    samples.push_back(mine[i * mine.size() / samples_each]);
  MPI_Allgather(samples.data(), samples_each, MPI_INT, all.data(), samples_each, MPI_INT,
                MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  Numbers splitters;
  for (int i = 1; i < processes; ++i)
    splitters.push_back(all[static_cast<std::size_t>(i) * samples_each]);
  return splitters;
}

/// Without branches, which random numbers would mispredict.
std::size_t part_of(int number, const Numbers& splitters) {
  std::size_t part = 0;
  for (const int splitter : splitters) part += number >= splitter ? 1 : 0;
  return part;
}

std::vector<int> places_of(const std::vector<int>& sizes) {
  std::vector<int> places(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  return places;
}

Numbers sorted_part(const Numbers& mine, int processes) {
  const Numbers splitters = common_splitters(mine, processes);
  std::vector<Numbers> buckets(static_cast<std::size_t>(processes));
  const std::size_t about = mine.size() / buckets.size();
  for (Numbers& bucket : buckets) bucket.reserve(about + about / 8);
  for (const int number : mine) buckets[part_of(number, splitters)].push_back(number);
  std::vector<int> going, coming(static_cast<std::size_t>(processes));
  Numbers outgoing;
  outgoing.reserve(mine.size());
  for (const Numbers& bucket : buckets) {
    going.push_back(static_cast<int>(bucket.size()));
    outgoing.insert(outgoing.end(), bucket.begin(), bucket.end());
  }
  MPI_Alltoall(going.data(), 1, MPI_INT, coming.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> from = places_of(going), to = places_of(coming);
  Numbers incoming(static_cast<std::size_t>(to.back() + coming.back()));
  MPI_Alltoallv(outgoing.data(), going.data(), from.data(), MPI_INT, incoming.data(), coming.data(),
                to.data(), MPI_INT, MPI_COMM_WORLD);
  std::sort(incoming.begin(), incoming.end());
  return incoming;
}

/// Sorted here, as many as before, and none smaller than what the process before has.
bool is_right(const Numbers& sorted, long before, int me, int processes) {
  long count = static_cast<long>(sorted.size()), all = 0;
  MPI_Allreduce(&count, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const int none[2] = {0, 0};
  int ends[2] = {sorted.empty() ? none[0] : sorted.front(),
                 sorted.empty() ? none[1] : sorted.back()};
  std::vector<int> ends_of_all(static_cast<std::size_t>(2 * processes));
  MPI_Allgather(ends, 2, MPI_INT, ends_of_all.data(), 2, MPI_INT, MPI_COMM_WORLD);
  const bool follows = me == 0 || ends_of_all[static_cast<std::size_t>(2 * me - 1)] <= ends[0];
  int good = std::is_sorted(sorted.begin(), sorted.end()) && all == before && follows ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return good == 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const long n = argc > 1 ? std::atol(argv[1]) : 10'000'000;
  if (n < static_cast<long>(samples_each) * processes) MPI_Abort(MPI_COMM_WORLD, 2);
  std::mt19937 random(static_cast<unsigned>(me));
  Numbers mine(static_cast<std::size_t>(n * (me + 1) / processes - n * me / processes));
  for (int& number : mine) number = static_cast<int>(random());

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const Numbers sorted = sorted_part(mine, processes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  const bool good = is_right(sorted, n, me, processes);
  if (me == 0 && good)
    std::printf("%ld numbers, %d processes: seconds %.4f\n", n, processes, seconds);
  if (me == 0 && !good) std::fprintf(stderr, "WRONG\n");
  MPI_Finalize();
  return good ? 0 : 1;
}
