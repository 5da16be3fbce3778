#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "transport/packet.hpp"

namespace armature::fuzz {
namespace {

constexpr std::size_t input_bytes_max = std::size_t{20} * 1024;

/// Addresses that occur in the corpus, and the beginnings of what they lie in.
std::vector<std::uint64_t> words_of(const std::vector<Bytes>& corpus) {
  std::vector<std::uint64_t> words;
  for (const Bytes& input : corpus)
    for (std::size_t at = 0; at + 8 <= std::min<std::size_t>(input.size(), 256); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, input.data() + at, sizeof word);
      if (word >> 32 != 0 && word >> 47 == 0) words.push_back(word);
    }
  words.push_back(0);
  return words;
}

/// One of each kind that there is, with numbers in it that might be right.
void add_each_kind(std::vector<Bytes>& corpus, const std::vector<std::uint64_t>& words,
                   base::Random& random) {
  for (std::uint8_t service = 0; service < tally().kinds.size(); ++service)
    for (std::uint8_t number = 0; number < tally().kinds[service].size(); ++number)
      for (std::uint32_t body = 0; body <= 96; body += 24) {
        const transport::Record record{
            {service, number}, 0, static_cast<std::uint32_t>(sizeof record) + body, 1, 0};
        Bytes input(sizeof(InputHead) + sizeof record + body);
        std::memcpy(input.data() + sizeof(InputHead), &record, sizeof record);
        for (std::size_t at = sizeof(InputHead) + sizeof record; at < input.size(); at += 8) {
          const std::uint64_t word =
              random.below(2) == 0 ? random.below(3) : words[random.below(words.size())];
          std::memcpy(input.data() + at, &word, sizeof word);
        }
        corpus.push_back(std::move(input));
      }
}

}  // namespace

std::uint64_t Mutator::interesting() {
  constexpr std::array<std::uint64_t, 16> numbers{0,
                                                  1,
                                                  2,
                                                  7,
                                                  8,
                                                  64,
                                                  0x7fff,
                                                  0xffff,
                                                  0x7fff'ffff,
                                                  0x8000'0000,
                                                  0xffff'ffff,
                                                  0x1'0000'0000,
                                                  0x7fff'ffff'ffff'ffff,
                                                  0x8000'0000'0000'0000,
                                                  0xffff'ffff'ffff'fff8,
                                                  0xffff'ffff'ffff'ffff};
  switch (random_.below(4)) {
    case 0:
      return words_[random_.below(words_.size())];
    case 1:
      return words_[random_.below(words_.size())] + random_.below(4096) - 2048;
    case 2:
      return random_.below(300);
    default:
      return numbers[random_.below(numbers.size())];
  }
}

/// A field of the first record, whose body is what makes the sense.
void Mutator::change_record(Bytes& input) {
  constexpr std::size_t at = sizeof(InputHead);
  transport::Record record;
  if (input.size() < at + sizeof record) return;
  std::memcpy(&record, input.data() + at, sizeof record);
  const std::uint64_t number = interesting();
  switch (random_.below(6)) {
    case 0:
      record.kind.service = static_cast<std::uint8_t>(random_.below(12));
      break;
    case 1:
      record.kind.number = static_cast<std::uint8_t>(random_.below(24));
      break;
    case 2:
      record.filler = static_cast<std::uint16_t>(number);
      break;
    case 3:
      record.bytes = static_cast<std::uint32_t>(number);
      break;
    case 4:
      record.from = static_cast<std::int32_t>(number);
      break;
    default:
      record.to = static_cast<std::int32_t>(number);
      break;
  }
  std::memcpy(input.data() + at, &record, sizeof record);
}

void Mutator::change(Bytes& input) {
  if (input.empty()) return;
  const std::size_t place = random_.below(input.size());
  switch (random_.below(8)) {
    case 0:
      input[place] ^= static_cast<std::byte>(1 << random_.below(8));
      break;
    case 1:
      input[place] = static_cast<std::byte>(random_.below(256));
      break;
    case 2:
    case 3: {  // a field, where fields lie
      const std::uint64_t number = interesting();
      const std::size_t bytes = random_.below(2) == 0 ? 4 : 8;
      const std::size_t at = place / 4 * 4;
      if (at + bytes <= input.size()) std::memcpy(input.data() + at, &number, bytes);
      break;
    }
    case 4:
      change_record(input);
      break;
    case 5:
      input.resize(place);
      break;
    case 6: {  // the records of another one behind
      const Bytes& other = any();
      if (other.size() > sizeof(InputHead))
        input.insert(input.end(), other.begin() + sizeof(InputHead), other.end());
      break;
    }
    default:  // a few bytes more
      for (std::size_t i = 1 + random_.below(16); i > 0; --i)
        input.push_back(static_cast<std::byte>(random_.below(256)));
      break;
  }
}

void Mutator::change_some(Bytes& input) {
  for (std::size_t changes = random_.below(5); changes > 0; --changes) change(input);
}

Bytes Mutator::next() {
  Bytes input = any();
  change_some(input);
  if (input.size() > input_bytes_max) input.resize(input_bytes_max);
  return input;
}

Mutator mutator_of(std::uint64_t seed, std::vector<Bytes> corpus) {
  std::vector<std::uint64_t> words = words_of(corpus);
  base::Random random(seed);
  play(corpus.front());  // the tally knows the kinds from then on
  add_each_kind(corpus, words, random);
  return Mutator(seed, std::move(corpus), std::move(words));
}

}  // namespace armature::fuzz
