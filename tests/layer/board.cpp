#include "board.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <vector>

#include <armature/error.hpp>
#include <armature/run.hpp>

namespace board {
namespace {

namespace layer = armature::layer;

Rank calling_rank() { return armature::world().rank(); }

enum Kind : std::uint8_t { add_one, add_those, ask_for, tell, wait_here };

struct Add {
  long value;
  int counter;
  std::byte of;
};
struct Ask {
  long at_least;
  std::uint32_t number;
  int counter;
};
struct Tell {
  long value;
  std::uint32_t number;
};

/// A request of another rank.
struct Posted {
  int from;
  Ask ask;
};
/// An own request.
struct Open {
  int whom = -1;
  bool is_answered = false, is_lost = false;
  long value = 0;
};

struct Board {
  std::map<int, long> counters;
  std::vector<Posted> posted;
  std::map<std::uint32_t, Open> open;
  std::uint32_t requests = 0;
  long deaths = 0;
  std::size_t ballast = 0;
};

struct Process {
  layer::ServiceId service{};
  layer::StateOfRanks<Board> boards;
  std::atomic<long> packed = 0, unpacked = 0, forgotten = 0, asked_to_be_quiet = 0;
};
Process here;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
T head(std::span<const std::byte> bytes) {
  T value;
  if (bytes.size() < sizeof value) armature::abort(1, "a record of the board is too short");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

void add_value(Rank to, int counter, long value) {
  here.boards.with(to, [&](Board& board) { board.counters[counter] += value; });
}

void on_add(const layer::Record& record) {
  const auto add = head<Add>(record.bytes);
  add_value(record.to, add.counter, add.value);
}

void on_add_those(const layer::Record& record) {
  const auto add = head<Add>(record.bytes);
  const auto those = record.bytes.subspan(sizeof add);
  add_value(record.to, add.counter, std::count(those.begin(), those.end(), add.of));
}

void on_ask(const layer::Record& record) {
  const Posted posted{record.from, head<Ask>(record.bytes)};
  here.boards.with(record.to, [&](Board& board) { board.posted.push_back(posted); });
}

void on_tell(const layer::Record& record) {
  const auto answer = head<Tell>(record.bytes);
  here.boards.with(record.to, [&](Board& board) {
    Open& open = board.open[answer.number];
    if (open.is_answered) armature::abort(1, "a request was answered twice");
    open.is_answered = true;
    open.value = answer.value;
  });
}

void on_wait(const layer::Record& record) {
  const Rank other = record.from;
  std::array<std::byte, 8> bytes{};
  switch (head<Wait>(record.bytes)) {
    case Wait::for_condition:
      return layer::wait_until({.call = "a handler"}, [] { return false; });
    case Wait::to_send:
      return layer::send(board::context(), other, 1, bytes);
    case Wait::to_receive:
      (void)layer::receive(board::context(), other, 1, bytes);
      return;
    case Wait::to_probe:
      (void)layer::probe(board::context(), other, 1);
      return;
    case Wait::for_memory:
      (void)layer::allocate_symmetric(armature::world(), 64);
      return;
  }
}

/// Answers the posted requests that may be answered.
bool answer(Rank me) {
  struct Answer {
    int to = -1;
    Tell tell{};
  };
  bool any = false;
  for (;;) {
    const auto due = here.boards.with(me, [](Board& board) -> Answer {
      const auto found = std::ranges::find_if(board.posted, [&](const Posted& one) {
        return board.counters[one.ask.counter] >= one.ask.at_least;
      });
      if (found == board.posted.end()) return {};
      const Answer answer{found->from, {board.counters[found->ask.counter], found->ask.number}};
      board.posted.erase(found);
      return answer;
    });
    if (due.to < 0) return any;
    any = true;
    (void)layer::send_record(here.service, tell, due.to, bytes_of(due.tell));
  }
}

void on_death(Rank me, Rank failed) {
  here.boards.with(me, [&](Board& board) {
    ++board.deaths;
    std::erase_if(board.posted, [&](const Posted& one) { return one.from == failed; });
    for (auto& [number, open] : board.open)
      if (open.whom == failed && !open.is_answered) open.is_lost = true;
  });
}

/// Answers no at the first time: the caller must ask again.
bool is_quiet() { return here.asked_to_be_quiet.fetch_add(1) % 2 == 1; }

template <class T>
void put(std::vector<std::byte>& to, const T& value) {
  const auto bytes = bytes_of(value);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void pack(Rank rank, std::vector<std::byte>& to) {
  if (!here.boards.has(rank)) return;
  ++here.packed;
  here.boards.with(rank, [&](const Board& board) {
    put(to, board.requests);
    put(to, board.deaths);
    put(to, board.counters.size());
    for (const auto& [counter, value] : board.counters) put(to, counter), put(to, value);
    put(to, board.posted.size());
    for (const Posted& one : board.posted) put(to, one);
    put(to, board.open.size());
    for (const auto& [number, open] : board.open) put(to, number), put(to, open);
    put(to, board.ballast);
    to.resize(to.size() + board.ballast);
  });
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    const T value = head<T>(bytes_);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

void unpack(Rank rank, std::span<const std::byte> from) {
  ++here.unpacked;
  if (here.boards.has(rank)) armature::abort(1, "a process has not forgotten a rank that had left");
  here.boards.with(rank, [&](Board& board) {
    Reader in(from);
    board.requests = in.get<std::uint32_t>();
    board.deaths = in.get<long>();
    for (auto left = in.get<std::size_t>(); left > 0; --left) {
      const int counter = in.get<int>();
      board.counters[counter] = in.get<long>();
    }
    for (auto left = in.get<std::size_t>(); left > 0; --left)
      board.posted.push_back(in.get<Posted>());
    for (auto left = in.get<std::size_t>(); left > 0; --left) {
      const auto number = in.get<std::uint32_t>();
      board.open[number] = in.get<Open>();
    }
    board.ballast = in.get<std::size_t>();
    if (in.left() != board.ballast) armature::abort(1, "a board is given what it has not packed");
  });
}

void forget(Rank rank) {
  if (!here.boards.has(rank)) return;
  ++here.forgotten;
  here.boards.forget(rank);
}

template <class Head>
bool send(Rank to, Kind kind, const Head& head) {
  return layer::send_record(here.service, kind, to, bytes_of(head));
}

}  // namespace

void add_to_process() {
  here.service = layer::add_service({.name = "board",
                                     .handlers = {on_add, on_add_those, on_ask, on_tell, on_wait},
                                     .poll = answer,
                                     .rank_failed = on_death,
                                     .quiesce = is_quiet,
                                     .pack_rank = pack,
                                     .unpack_rank = unpack,
                                     .forget = forget});
}

layer::Context context() { return layer::context_of(here.service); }

bool add(Rank to, int counter, long value) { return send(to, add_one, Add{value, counter, {}}); }

bool add_bytes(Rank to, int counter, std::byte of, std::span<const std::byte> bytes) {
  std::vector<std::byte> record;
  put(record, Add{0, counter, of});
  record.insert(record.end(), bytes.begin(), bytes.end());
  return layer::send_record(here.service, add_those, to, record);
}

std::uint32_t ask(Rank whom, int counter, long at_least) {
  const Rank me = calling_rank();
  const std::uint32_t number = here.boards.with(me, [&](Board& board) {
    board.open[++board.requests] = {.whom = whom};
    return board.requests;
  });
  if (send(whom, ask_for, Ask{at_least, number, counter})) return number;
  here.boards.with(me, [&](Board& board) { board.open[number].is_lost = true; });
  return number;
}

std::optional<long> await(std::uint32_t request) {
  const Rank me = calling_rank();
  const auto look = [&] {
    return here.boards.with(me, [&](const Board& board) { return board.open.at(request); });
  };
  // Not `on` whoever was asked: its death is told by on_death, and ends nothing else.
  layer::wait_until({.call = "board::await", .until = "a board is full", .is_told = true}, [&] {
    const Open open = look();
    return open.is_answered || open.is_lost;
  });
  const Open open = look();
  here.boards.with(me, [&](Board& board) { board.open.erase(request); });
  if (!open.is_answered) return std::nullopt;
  return open.value;
}

long value(int counter) {
  return here.boards.with(calling_rank(), [&](Board& board) { return board.counters[counter]; });
}

void set_ballast(std::size_t bytes) {
  here.boards.with(calling_rank(), [&](Board& board) { board.ballast = bytes; });
}

Told told() { return {here.packed, here.unpacked, here.forgotten, here.asked_to_be_quiet}; }

long deaths() {
  return here.boards.with(calling_rank(), [](const Board& board) { return board.deaths; });
}

void wait_in_a_handler(Rank rank, Wait what) { (void)send(rank, wait_here, what); }

}  // namespace board
