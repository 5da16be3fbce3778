#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <armature/armature.hpp>

// Sample sort: every rank gets the numbers between two splitters, and sorts those. The ways differ
// in how numbers get to their ranks; each is in a file of its own.

namespace sample_sort {

using Numbers = std::vector<int>;

/// Upper ends of all parts but the last, out of a sorted sample.
inline Numbers splitters_of(Numbers sample, int parts) {
  std::sort(sample.begin(), sample.end());
  Numbers splitters;
  for (int part = 1; part < parts; ++part)
    splitters.push_back(
        sample[sample.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts)]);
  return splitters;
}

/// Takes as many of the numbers as make parts nearly equal, at even distances.
inline Numbers sample_of(std::span<const int> numbers) {
  constexpr std::size_t sample_size = 4096;
  Numbers sample(sample_size);
  for (std::size_t i = 0; i < sample_size; ++i)
    sample[i] = numbers.empty() ? 0 : numbers[i * numbers.size() / sample_size];
  return sample;
}

/// The part a number belongs to.
inline int part_of(int number, const Numbers& splitters) {
  int part = 0;
  for (const int splitter : splitters) part += number >= splitter ? 1 : 0;
  return part;
}

/// Finds splitters from samples of all: they are equal on every rank.
inline Numbers common_splitters(const armature::World& world, std::span<const int> mine) {
  const Numbers sample = sample_of(mine);
  Numbers all(sample.size() * static_cast<std::size_t>(world.size()));
  allgather(world, std::span<const int>(sample), std::span<int>(all));
  return splitters_of(std::move(all), world.size());
}

/// Shared memory (armi-rmi-2003, figure 1): threads and a lock for each bucket. Returns the buckets
/// one behind the other.
Numbers by_threads(std::span<const int> numbers, int threads);
/// Coarse messages (figure 2): each rank sorts out what goes where and sends it in one piece.
/// Returns this rank's bucket.
Numbers by_messages(const armature::World& world, std::span<const int> mine);
/// Remote calls (figure 3): each number is pushed into its bucket as it is met.
Numbers by_calls(const armature::World& world, std::span<const int> mine);
/// Sorts with calls of 512 numbers: all ranks sort out, send and receive at once, and nobody needs
/// to know how much will come.
Numbers by_blocks(const armature::World& world, std::span<const int> mine);
/// The library's own sort of a distributed vector.
Numbers by_algorithm(const armature::World& world, std::span<const int> mine);

}  // namespace sample_sort
