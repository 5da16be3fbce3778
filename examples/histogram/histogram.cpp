// Histogram and index gather (the bale kernels): many small accesses to random words of a table
// that is spread over all ranks, written as one-sided operations and as remote calls:
//
//   armature run -n 2 histogram [--n 1000000] [--table 100000]
//
// --n: accesses of each rank; --table: words of each rank. All results are checked.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <armature/armature.hpp>

namespace {

using armature::World;

struct Place {
  int rank;
  std::uint32_t index;
};

/// This rank's part of the table, and what others may call on it.
struct Part {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> answers;  // to this rank's own look-ups

  explicit Part(std::size_t n) : words(n) {}
  void count(std::uint32_t index) { ++words[index]; }
  void look_up(armature::shared_ref<Part> all, std::uint32_t index, std::uint32_t slot, int asker) {
    all.async(asker, &Part::found, slot, words[index]);
  }
  void found(std::uint32_t slot, std::uint64_t value) { answers[slot] = value; }
};

class Kernels {
 public:
  Kernels(World& world, std::size_t n, std::size_t words)
      : world_(world),
        words_(words),
        piece_(world.allocate<std::uint64_t>(words)),
        part_(world, words) {
    std::mt19937_64 random(static_cast<unsigned>(world.rank()));
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t word = random() % (words * static_cast<std::size_t>(world.size()));
      places_.push_back({static_cast<int>(word / words), static_cast<std::uint32_t>(word % words)});
    }
    part_->answers.resize(n);
  }

  bool run() {
    bool good = timed(
        "histogram, fetch_add",
        [&] {
          for (const Place& place : places_) (void)armature::fetch_add(word_at(place), 1);
          world_.barrier();
        },
        [&] { return total(piece_.local()) == accesses(); });
    good = timed(
               "histogram, remote calls",
               [&] {
                 for (const Place& place : places_)
                   part_.async(place.rank, &Part::count, place.index);
                 armature::rmi_fence();
               },
               [&] { return std::ranges::equal(part_->words, piece_.local()); }) &&  // as before
           good;

    for (std::size_t i = 0; i < words_; ++i)
      piece_[i] = part_->words[i] = number_of({world_.rank(), static_cast<std::uint32_t>(i)});
    world_.barrier();
    good = timed(
               "index gather, get",
               [&] {
                 for (std::size_t i = 0; i < places_.size(); ++i)
                   part_->answers[i] = armature::get(word_at(places_[i]));
               },
               [&] { return answers_are_right(); }) &&
           good;
    good = timed(
               "index gather, remote calls",
               [&] {
                 for (std::size_t i = 0; i < places_.size(); ++i)
                   part_.async(places_[i].rank, &Part::look_up, part_.ref(), places_[i].index,
                               static_cast<std::uint32_t>(i), world_.rank());
                 armature::rmi_fence();  // waits for the answers too: they are calls that calls
                                         // have made
               },
               [&] { return answers_are_right(); }) &&
           good;
    return good;
  }

 private:
  template <class Work, class Check>
  bool timed(const char* name, Work&& work, Check&& check) {
    world_.barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    world_.barrier();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const bool good = allreduce(world_, check() ? 1 : 0, armature::Minimum()) == 1;
    const auto all = static_cast<double>(accesses());
    if (world_.rank() == 0)
      std::printf("%-28s %8.1f M elements/s   %s\n", name, all / spent.count() * 1e-6,
                  good ? "correct" : "WRONG");
    return good;
  }

  [[nodiscard]] std::uint64_t accesses() const {
    return places_.size() * static_cast<std::uint64_t>(world_.size());
  }
  [[nodiscard]] std::uint64_t total(std::span<const std::uint64_t> words) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words) sum += word;
    return allreduce(world_, sum);
  }
  bool answers_are_right() {
    bool good = true;
    for (std::size_t i = 0; i < places_.size(); ++i)
      good = std::exchange(part_->answers[i], 0) == number_of(places_[i]) && good;
    return good;
  }
  [[nodiscard]] armature::global_ptr<std::uint64_t> word_at(const Place& place) const {
    return piece_.on(place.rank) + place.index;
  }
  [[nodiscard]] std::uint64_t number_of(const Place& place) const {
    return static_cast<std::uint64_t>(place.rank) * words_ + place.index + 1;
  }

  World& world_;
  std::size_t words_;
  armature::Piece<std::uint64_t> piece_;
  armature::shared<Part> part_;
  std::vector<Place> places_;
};

/// 0 where it is no count, or more than an index can number.
std::size_t count_of(const char* text) {
  char* end = nullptr;
  const long long count = std::strtoll(text, &end, 10);
  return *end == '\0' && count > 0 && count <= UINT32_MAX ? static_cast<std::size_t>(count) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n = 1'000'000, words = 100'000;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::size_t value = i + 1 < argc ? count_of(argv[i + 1]) : 0;
    if (value == 0 || (option != "--n" && option != "--table")) {
      std::fprintf(stderr, "usage: histogram [--n ACCESSES] [--table WORDS]\n");
      return 2;
    }
    (option == "--n" ? n : words) = value;
  }
  return armature::run(argc, argv,
                       [n, words](World& world) { return Kernels(world, n, words).run() ? 0 : 1; });
}
