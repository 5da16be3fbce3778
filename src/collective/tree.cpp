// Rooted collectives go along a binomial tree of ranges. The range of all members has the root as
// its leader. A range is halved: one half keeps the leader, the other gets its first member as its
// own. So members below one are always neighbours. Their blocks lie in one piece, and what they
// combine is in the order of the team, whichever member the root is. Numbering the members from the
// root on, as is usual, has neither. The tree is ceil(log2(size)) deep.
#include <algorithm>
#include <ranges>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/combination.hpp"

namespace armature::collective {
namespace {

/// A range that has been halved: `leader` is that of the whole, `other` that of the half without.
struct Halved {
  int leader, other;
  int begin, middle, end;

  [[nodiscard]] bool other_is_behind() const { return other == middle; }
  [[nodiscard]] int other_begin() const { return other_is_behind() ? middle : begin; }
  [[nodiscard]] std::size_t other_size() const {
    return static_cast<std::size_t>(other_is_behind() ? end - middle : middle - begin);
  }
};

/// The ranges in which the member leads a half, from the largest on.
std::vector<Halved> ways_of(const Members& members, int root) {
  std::vector<Halved> ways;
  int begin = 0, end = members.size, leader = root;
  while (end - begin > 1) {
    const int middle = begin + (end - begin + 1) / 2;
    const Halved halved{leader, leader < middle ? middle : begin, begin, middle, end};
    if (members.me == halved.leader || members.me == halved.other) ways.push_back(halved);
    (members.me < middle ? end : begin) = middle;
    if ((leader < middle) != (members.me < middle)) leader = halved.other;
  }
  return ways;
}

/// Long broadcasts go in pieces: a member sends one while the next one comes.
constexpr std::size_t broadcast_piece = 256 * 1024;

}  // namespace

void broadcast_by_tree(Schedule& schedule, const Members& members, int root, std::size_t bytes) {
  int from = -1;
  std::vector<int> to;
  for (const Halved& way : ways_of(members, root))
    members.me == way.other ? void(from = way.leader) : to.push_back(way.other);
  const auto piece_at = [&](std::size_t at) { return std::min(broadcast_piece, bytes - at); };
  const bool is_root = from < 0;
  std::size_t came = 0;
  const auto receive = [&] {
    if (!is_root) schedule.receive(from, output + came, piece_at(came));
    came += piece_at(came);
  };
  receive();
  for (std::size_t sent = 0;; sent += piece_at(sent)) {
    if (!is_root) schedule.end();  // the piece that is sent next has come
    const bool is_last = sent + piece_at(sent) == bytes;
    if (!is_last) receive();
    for (const int member : to) schedule.send(member, output + sent, piece_at(sent));
    if (is_root) schedule.end();
    if (is_last) break;
  }
  schedule.end();
}

// A member that leads several gathers their blocks, and sends them on as one.
void gather_by_tree(Schedule& schedule, const Members& members, int root, std::size_t block) {
  const std::vector<Halved> ways = ways_of(members, root);
  const bool is_root = members.me == root;
  // All below this member: the last way, upwards, in which it leads a half.
  int begin = members.me, end = members.me + 1;
  for (const Halved& way : ways)
    if (way.leader == members.me) begin = std::min(begin, way.begin), end = std::max(end, way.end);
  const auto blocks = [&](int count) { return static_cast<std::size_t>(count) * block; };
  const Place kept = is_root           ? output
                     : end - begin > 1 ? schedule.take_scratch(blocks(end - begin))
                                       : input;
  const auto place_of = [&](int member) {
    return kept + blocks(is_root ? member : member - begin);
  };
  for (const Halved& way : ways)
    if (way.leader == members.me)
      schedule.receive(way.other, place_of(way.other_begin()), way.other_size() * block);
  if (kept != input) schedule.copy(place_of(members.me), input, block);
  schedule.end();
  if (is_root) return;
  schedule.send(ways.front().leader, kept, blocks(end - begin));
  schedule.end();
}

void scatter_by_tree(Schedule& schedule, const Members& members, int root, std::size_t block) {
  const std::vector<Halved> ways = ways_of(members, root);
  const bool is_root = members.me == root;
  int begin = members.me, end = members.me + 1;
  for (const Halved& way : ways)
    if (way.leader == members.me) begin = std::min(begin, way.begin), end = std::max(end, way.end);
  const auto blocks = [&](int count) { return static_cast<std::size_t>(count) * block; };
  const bool is_leaf = end - begin == 1;
  const Place kept = is_root   ? input
                     : is_leaf ? output
                               : schedule.take_scratch(blocks(end - begin));
  const auto place_of = [&](int member) {
    return kept + blocks(is_root ? member : member - begin);
  };
  if (!is_root) {
    schedule.receive(ways.front().leader, kept, blocks(end - begin));
    schedule.end();
  }
  for (const Halved& way : ways)
    if (way.leader == members.me)
      schedule.send(way.other, place_of(way.other_begin()), way.other_size() * block);
  if (kept != output) schedule.copy(output, place_of(members.me), block);
  schedule.end();
}

void reduce_by_tree(Schedule& schedule, const Members& members, int root,
                    const Elements& elements) {
  const std::size_t bytes = elements.bytes();
  const bool is_root = members.me == root;
  const std::vector<Halved> ways = ways_of(members, root);
  Combination all(schedule, is_root ? output : input, is_root, bytes);
  for (const Halved& way : ways | std::views::reverse) {
    if (way.other == members.me) {
      schedule.send(way.leader, all.place(), bytes);
      break;
    }
    schedule.receive(way.other, all.room(), bytes);
    way.other_is_behind() ? all.append() : all.prepend();
    schedule.end();
  }
  if (is_root) schedule.copy(output, all.place(), bytes);
  schedule.end();
}

}  // namespace armature::collective
