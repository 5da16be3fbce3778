#include "team/learned.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace armature::team {
namespace {

constexpr const char* way_names[] = {"usual", "rounds", "halving", "doubling"};

constexpr int kind_bits = 4, call_bits = 5, class_bits = 6, way_bits = 3, tries_bits = 1,
              changes_bits = 7, time_bits = 19;
static_assert(kind_bits + call_bits + class_bits + way_bits + tries_bits + changes_bits +
                  2 * time_bits ==
              64);
constexpr std::uint64_t time_unit_ns = 256;

/// A word of fields, the first of which is lowest.
class Fields {
 public:
  explicit Fields(std::uint64_t word = 0) : word_(word) {}
  void put(std::uint64_t value, int bits) {
    const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
    word_ |= std::min(value, most) << at_;
    at_ += bits;
  }
  [[nodiscard]] std::uint64_t take(int bits) {
    const std::uint64_t value = (word_ >> at_) & ((std::uint64_t{1} << bits) - 1);
    at_ += bits;
    return value;
  }
  [[nodiscard]] std::uint64_t word() const { return word_; }

 private:
  std::uint64_t word_;
  int at_ = 0;
};

}  // namespace

const char* name_of(Way way) {
  const auto index = static_cast<std::size_t>(way);
  return index < std::size(way_names) ? way_names[index] : "?";
}

std::optional<Way> way_named(std::string_view name) {
  const auto* const found = std::ranges::find(way_names, name);
  if (found == std::end(way_names)) return std::nullopt;
  return static_cast<Way>(found - std::begin(way_names));
}

std::uint64_t Learned::word() const {
  Fields fields;
  fields.put(static_cast<std::uint64_t>(kind), kind_bits);
  fields.put(static_cast<std::uint64_t>(part_of), call_bits);
  fields.put(length_class, class_bits);
  fields.put(static_cast<std::uint64_t>(way), way_bits);
  fields.put(tries ? 1 : 0, tries_bits);
  fields.put(changes, changes_bits);
  fields.put(ns / time_unit_ns, time_bits);
  fields.put(skew_ns / time_unit_ns, time_bits);
  return fields.word();
}

Learned Learned::of(std::uint64_t word) {
  Fields fields(word);
  Learned learned;
  learned.kind = static_cast<RoundKind>(fields.take(kind_bits));
  learned.part_of = static_cast<UserCall>(fields.take(call_bits));
  learned.length_class = static_cast<unsigned>(fields.take(class_bits));
  learned.way = static_cast<Way>(fields.take(way_bits));
  learned.tries = fields.take(tries_bits) != 0;
  learned.changes = static_cast<unsigned>(fields.take(changes_bits));
  learned.ns = fields.take(time_bits) * time_unit_ns;
  learned.skew_ns = fields.take(time_bits) * time_unit_ns;
  return learned;
}

std::string Learned::call() const {
  const char* const name = kind == RoundKind::allreduce        ? "allreduce"
                           : kind == RoundKind::reduce         ? "reduce"
                           : kind == RoundKind::scan           ? "scan"
                           : kind == RoundKind::exclusive_scan ? "exclusive_scan"
                                                               : "?";
  return part_of == UserCall::none ? name : fmt::format("{} in {}", name, name_of(part_of));
}

std::string Learned::text() const {
  const std::string what = fmt::format("{} below {} bytes", call(), bytes_below());
  if (tries) return fmt::format("{}: tries its ways", what);
  constexpr double us = 1e-3;
  return fmt::format("{} by {}: {:.0f} us, skew {:.0f} us", what, name_of(way),
                     static_cast<double>(ns) * us, static_cast<double>(skew_ns) * us);
}

}  // namespace armature::team
