#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

// The ranks of a modelled job act by a scenario: a short program for each, written as text.
//
//   "a>1(b>0 c>2) fence"   sends request a to rank 1 and enters the fence; a's method sends b, then
//   c "async d>1 wait"       enters the fence without waiting, sends d, then waits for the fence
//
// Requests are named by one letter, each once.

namespace armature::fence_model {

constexpr int ranks_max = 3;
constexpr int requests_max = 8;
constexpr int fences_max = 2;

struct Request {
  char name = '?';
  int from = 0;
  int to = 0;
  std::vector<int> then;  // what its method sends, in this order
};

struct Operation {
  enum class Kind : std::uint8_t { send, fence, async, wait };
  Kind kind = Kind::send;
  int request = -1;  // of a send
};

struct Scenario {
  std::string name;
  std::vector<std::string> programs;  // one per rank
  int members = 0;                    // the team is the first ranks; 0: all
  bool fifo = false;                  // requests from one rank to another start in order
  bool nests = false;                 // a running method may be interrupted by another one
};

std::ostream& operator<<(std::ostream& out, const Scenario& scenario);

/// A scenario read in.
class Plan {
 public:
  explicit Plan(const Scenario& scenario);

  [[nodiscard]] int ranks() const { return static_cast<int>(programs.size()); }
  [[nodiscard]] bool inside(int request) const;
  /// The request and what it causes, along chains that stay in the team: a set of bits.
  [[nodiscard]] unsigned caused_by(int request) const;

  Scenario scenario;
  int members = 0;
  std::vector<Request> requests;
  std::vector<std::vector<Operation>> programs;

 private:
  int read_request(const std::string& text, std::size_t& at, int from);
};

}  // namespace armature::fence_model
