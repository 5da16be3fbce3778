#include "bootstrap/process_table.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "bootstrap/node_identity.hpp"
#include "bootstrap/read_for_node.hpp"
#include "topology/cores.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;

constexpr const char* card_key = "card";
constexpr std::size_t processors_max = 1024;

/// A process, as it presents itself to the others.
struct Card {
  std::uint64_t magic = expected_magic;
  std::uint64_t started = 0;
  std::uint32_t hosted = 0;
  std::uint32_t virtual_ranks = 0;
  std::int32_t pid = 0;
  std::uint32_t on_valgrind = 0;
  Secret secret{};  // process 0's counts
  char identity[240] = {};
  char host[72] = {};
  char socket[72] = {};
  std::uint64_t processors[processors_max / 64] = {};
  topology::ProcessorPlace place;

  static constexpr std::uint64_t expected_magic = 0x3544'5241'434d'5241;  // "ARMCARD5"
};
static_assert(std::is_trivially_copyable_v<Card>);

/// Cut off where it is too long; zeros follow it.
template <std::size_t n>
void write(char (&to)[n], const std::string& text) {
  std::memcpy(to, text.data(), std::min(text.size(), n - 1));
}

template <std::size_t n>
std::string read(const char (&from)[n]) {
  return {from, strnlen(from, n)};
}

Card own_card(Hosting hosting, const std::string& socket) {
  Card card;
  card.hosted = static_cast<std::uint32_t>(hosting.ranks);
  card.virtual_ranks = static_cast<std::uint32_t>(hosting.virtual_ranks);
  card.pid = getpid();
  card.on_valgrind = base::on_valgrind ? 1 : 0;
  card.started = start_of_process(card.pid);
  if (getrandom(card.secret.data(), card.secret.size(), 0) !=
      static_cast<ssize_t>(card.secret.size()))
    fail(Errc::start, fmt::format("no random numbers: {}", base::system_text(errno)));
  write(card.identity, node_identity());
  write(card.host, host_name());
  write(card.socket, socket);
  const std::vector<int> processors = topology::allowed_processors();
  card.place = topology::place_of(processors);
  for (const int processor : processors) {
    const auto number = static_cast<std::size_t>(processor);
    if (number < processors_max) card.processors[number / 64] |= std::uint64_t{1} << number % 64;
  }
  return card;
}

/// Nothing where it is another build's.
std::optional<Card> card_in(const std::vector<std::byte>& bytes) {
  Card card;
  if (bytes.size() != sizeof card) return std::nullopt;
  std::memcpy(&card, bytes.data(), sizeof card);
  if (card.magic != Card::expected_magic) return std::nullopt;
  return card;
}

Card require_card(const std::vector<std::byte>& bytes, int process) {
  const std::optional<Card> found = card_in(bytes);
  if (!found || found->hosted == 0)
    fail(Errc::start,
         fmt::format("process {} uses another build of Armature: all processes of a job must be of "
                     "one",
                     process));
  const Card& card = *found;
  if (card.hosted > ranks_max)
    fail(Errc::start, fmt::format("process {} is to host {} ranks: a job may have {}", process,
                                  card.hosted, ranks_max));
  return card;
}

Member member_of(const Card& card) {
  Member member;
  member.hosted = static_cast<int>(card.hosted);
  member.pid = card.pid;
  member.started = card.started;
  member.host = read(card.host);
  member.socket = read(card.socket);
  member.place = card.place;
  for (std::size_t i = 0; i < processors_max; ++i)
    if ((card.processors[i / 64] >> i % 64 & 1) != 0)
      member.processors.push_back(static_cast<int>(i));
  return member;
}

/// The cards of all processes. All judge them, and so say the same of those that do not fit.
Values read_cards(Exchange& exchange, const Card& mine, const Secret& secret) {
  const auto is_here = [&](const std::vector<std::byte>& bytes) {
    const std::optional<Card> card = card_in(bytes);
    return card && read(card->identity) == read(mine.identity);
  };
  return read_for_node(exchange, card_key, secret, [&](const Values& cards) {
    return static_cast<int>(std::count_if(cards.begin(), cards.end(), is_here)) - 1;
  });
}

void require_agreement(const Card& mine, const Card& other) {
  if (mine.virtual_ranks != other.virtual_ranks)
    fail(Errc::start,
         fmt::format("some processes know of {} virtual ranks, others of {}: ARMATURE_VIRTUAL must "
                     "be the same in all",
                     mine.virtual_ranks, other.virtual_ranks));
  if (mine.virtual_ranks == 0 && mine.hosted != other.hosted)
    fail(Errc::start,
         fmt::format("some processes are to host {} ranks, others {}: ARMATURE_THREADS must be "
                     "the same in all",
                     mine.hosted, other.hosted));
}

void require_possible(const ProcessTable& process_table, Hosting hosting) {
  if (process_table.ranks > static_cast<int>(ranks_max))
    fail(Errc::start, fmt::format("{} processes are to host {} ranks together, or more: a job may "
                                  "have {}",
                                  process_table.members.size(), process_table.ranks, ranks_max));
  if (hosting.virtual_ranks != 0 && process_table.ranks != hosting.virtual_ranks)
    fail(Errc::start,
         fmt::format("{} processes host {} virtual ranks together, not the {} of the "
                     "job: the launcher has not told all how many they are",
                     process_table.members.size(), process_table.ranks, hosting.virtual_ranks));
}

}  // namespace

std::vector<int> ProcessTable::processes_of(int node) const {
  std::vector<int> processes;
  for (std::size_t p = 0; p < members.size(); ++p)
    if (members[p].node == node) processes.push_back(static_cast<int>(p));
  return processes;
}

std::string ProcessTable::places() const {
  std::string text;
  for (int node = 0; node < nodes; ++node) {
    const auto processes = processes_of(node);
    text += fmt::format("{}{} {}on {}", text.empty() ? "" : ", ", processes.size(),
                        node > 0               ? ""
                        : processes.size() > 1 ? "processes "
                                               : "process ",
                        members[static_cast<std::size_t>(processes.front())].host);
  }
  return text;
}

ProcessTable make_process_table(Exchange& exchange, Hosting hosting, const std::string& socket) {
  const Card mine = own_card(hosting, socket);
  exchange.put(card_key, std::as_bytes(std::span(&mine, 1)));
  exchange.fence();

  ProcessTable process_table;
  process_table.me = exchange.process();
  process_table.secret = require_card(exchange.get(0, card_key), 0).secret;
  const Values cards = read_cards(exchange, mine, process_table.secret);
  std::map<std::string, int> nodes;
  std::map<int, int> on_node;
  for (int process = 0; process < exchange.processes(); ++process) {
    const Card card = require_card(cards[static_cast<std::size_t>(process)], process);
    require_agreement(mine, card);
    Member member = member_of(card);
    process_table.on_valgrind = process_table.on_valgrind || card.on_valgrind != 0;
    const auto next = static_cast<int>(nodes.size());
    member.node = nodes.try_emplace(read(card.identity), next).first->second;
    member.index = on_node[member.node]++;
    member.first_rank = process_table.ranks;
    process_table.ranks += member.hosted;
    process_table.members.push_back(std::move(member));
    if (process_table.ranks > static_cast<int>(ranks_max)) break;  // the sum stays a number
  }
  require_possible(process_table, hosting);
  process_table.nodes = static_cast<int>(nodes.size());
  process_table.are_virtual = hosting.virtual_ranks != 0;
  return process_table;
}

}  // namespace armature::bootstrap
