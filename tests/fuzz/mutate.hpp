#pragma once

#include <span>

#include "base/random.hpp"
#include "fuzz/input.hpp"

namespace armature::fuzz {

/// Changes inputs of a corpus: bits, bytes, whole fields of heads and records, lengths, and records
/// of others.
class Mutator {
 public:
  /// `words`: numbers that mean something in the job, such as addresses.
  Mutator(std::uint64_t seed, std::vector<Bytes> corpus, std::vector<std::uint64_t> words)
      : random_(seed), corpus_(std::move(corpus)), words_(std::move(words)) {}

  [[nodiscard]] Bytes next();
  /// None to four of them.
  void change_some(Bytes& input);
  /// Inputs from here on are those of a new mutator with that seed.
  void begin_again(std::uint64_t seed) { random_ = base::Random(seed); }

 private:
  void change(Bytes& input);
  void change_record(Bytes& input);
  [[nodiscard]] std::uint64_t interesting();
  [[nodiscard]] const Bytes& any() { return corpus_[random_.below(corpus_.size())]; }

  base::Random random_;
  std::vector<Bytes> corpus_;
  std::vector<std::uint64_t> words_;
};

/// The mutator of a job: it knows what a real run has sent, and a record of each kind.
[[nodiscard]] Mutator mutator_of(std::uint64_t seed, std::vector<Bytes> corpus);

}  // namespace armature::fuzz
