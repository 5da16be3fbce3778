#include "bootstrap/pmi1.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/hexadecimal.hpp"
#include "bootstrap/mpi_state.hpp"
#include "bootstrap/patience.hpp"
#include "bootstrap/process_mapping.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;
using std::chrono::milliseconds;

constexpr int line_bytes_max = 1 << 16;

int number_or(std::string_view text, int otherwise) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : otherwise;
}

int variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? -1 : number_or(text, -1);
}

/// Reads a name's value in an answer: "cmd=get_result rc=0 msg=success value=..."
std::string field(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const auto word = line.substr(0, line.find(' '));
    if (word.size() > name.size() && word.substr(0, name.size()) == name &&
        word[name.size()] == '=')
      return std::string(word.substr(name.size() + 1));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return {};
}

class Pmi1 final : public Exchange {
 public:
  Pmi1(int fd, int process, int processes) : fd_(fd), process_(process), processes_(processes) {
    ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
    const std::string maxes = ask("cmd=get_maxes", "maxes");
    space_ = field(ask("cmd=get_my_kvsname", "my_kvsname"), "kvsname");
    // Room for the length that stands before the first piece.
    piece_chars_ = std::min(number_or(field(maxes, "vallen_max"), 256), value_chars_max()) - 32;
    if (piece_chars_ < 32) fail(Errc::start, "the launcher's values are too short: " + maxes);
    piece_chars_ -= piece_chars_ % 2;
    presence_.emplace(space_, process_, processes_, processes_here());
  }
  /// A process that has begun to speak and ends without a farewell counts as crashed. Where an MPI
  /// uses the descriptor, the farewell is the MPI's.
  ~Pmi1() override {
    if (mpi_state() != MpiState::not_initialised) return;
    try {
      ask("cmd=finalize", "finalize_ack");
    } catch (const Error&) {  // who is not there needs no farewell
    }
  }

  [[nodiscard]] int process() const override { return process_; }
  [[nodiscard]] int processes() const override { return processes_; }

  /// Puts a value in pieces: the first begins with the number of bytes.
  void put(std::string_view key, std::span<const std::byte> value) override {
    const std::string digits = to_hexadecimal(value);
    const auto piece = static_cast<std::size_t>(piece_chars_);
    for (std::size_t at = 0, i = 0; i == 0 || at < digits.size(); at += piece, ++i) {
      const std::string length = i == 0 ? fmt::format("{}:", value.size()) : "";
      const std::string answer =
          ask(put_request(space_, name(process_, key, i),
                          length + digits.substr(std::min(at, digits.size()), piece)),
              "put_result");
      if (field(answer, "rc") != "0")
        fail(Errc::start, fmt::format("the launcher does not take a value: {}", answer));
    }
  }

  void end_job(int status) override { (void)send(fmt::format("cmd=abort exitcode={}", status)); }

 protected:
  std::vector<std::byte> look_up(int process, std::string_view key) override {
    std::string digits = piece(process, key, 0);
    const auto colon = digits.find(':');
    const int bytes = number_or(std::string_view(digits).substr(0, colon), -1);
    if (colon == std::string::npos || bytes < 0)
      fail(Errc::start, fmt::format("the launcher gave '{}' for {}", digits, key));
    digits.erase(0, colon + 1);
    const std::size_t wanted = std::size_t{2} * static_cast<std::size_t>(bytes);
    for (std::size_t i = 1; digits.size() < wanted; ++i) {
      const std::string more = piece(process, key, i);
      if (more.empty()) break;
      digits += more;
    }
    auto value = from_hexadecimal(digits);
    if (!value || value->size() != static_cast<std::size_t>(bytes))
      fail(Errc::start, fmt::format("the launcher gave a damaged value for {}", key));
    return std::move(*value);
  }

  void wait_for_all(milliseconds patience) override {
    ask("cmd=barrier_in", "barrier_out", patience);
    presence_->all_have_come();
  }

 private:
  static std::string put_request(const std::string& space, const std::string& name,
                                 std::string_view value) {
    return fmt::format("cmd=put kvsname={} key={} value={}", space, name, value);
  }

  /// Slurm's server takes values as long as others do, but reads no more of a request than this:
  /// the whole line counts.
  [[nodiscard]] int value_chars_max() const {
    constexpr std::size_t request_chars_max = 1000;
    constexpr int pieces_max = 99'999;
    const std::size_t others =
        put_request(space_, name(processes_, std::string(key_chars_max, 'k'), pieces_max), "")
            .size();
    return static_cast<int>(request_chars_max) - static_cast<int>(others);
  }

  static std::string name(int process, std::string_view key, std::size_t piece) {
    return fmt::format("armature-{}-{}-{}", process, key, piece);
  }

  std::string piece(int process, std::string_view key, std::size_t i) {
    const std::string answer =
        ask(fmt::format("cmd=get kvsname={} key={}", space_, name(process, key, i)), "get_result");
    if (field(answer, "rc") != "0")
      fail(Errc::start,
           fmt::format("process {} has not told the launcher its {}: {}", process, key, answer));
    return field(answer, "value");
  }

  std::string ask(const std::string& request, std::string_view answer,
                  milliseconds patience = start_timeout()) {
    if (!send(request))
      fail(Errc::start, fmt::format("the launcher cannot be spoken to over PMI_FD={}: {}", fd_,
                                    base::system_text(errno)));
    std::string line = receive(patience);
    if (field(line, "cmd") != answer)
      fail(Errc::start, fmt::format("the launcher answers '{}' to '{}'", line, request));
    return line;
  }

  [[nodiscard]] bool send(const std::string& request) const {
    const std::string line = request + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      ssize_t n = ::send(fd_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (n < 0 && errno == ENOTSOCK) n = write(fd_, line.data() + sent, line.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }

  /// Receives one line and not a byte more: what follows may be for an MPI in this process.
  [[nodiscard]] std::string receive(milliseconds patience) const {
    Patience waited(patience, processes_, presence_ ? &*presence_ : nullptr);
    std::string line;
    for (char c = 0; line.size() < line_bytes_max;) {
      wait_for_input(waited);
      const ssize_t n = read(fd_, &c, 1);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0)
        fail(Errc::start,
             fmt::format("the launcher has closed PMI_FD={}: another process of the job may have "
                         "failed",
                         fd_));
      if (c == '\n') return line;
      line += c;
    }
    fail(Errc::start, fmt::format("what PMI_FD={} leads to does not speak PMI", fd_));
  }

  void wait_for_input(Patience& patience) const {
    constexpr milliseconds::rep longest_ms = 1'000'000'000;  // poll takes an int
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(patience.look() - Patience::Clock::now());
      pollfd polled{fd_, POLLIN, 0};
      if (poll(&polled, 1,
               static_cast<int>(std::clamp(left.count(), milliseconds::rep{0}, longest_ms))) > 0)
        return;
    }
  }

  /// Reads them as the launcher tells MPI; empty where it does not.
  std::vector<int> processes_here() {
    const std::string answer =
        ask(fmt::format("cmd=get kvsname={} key=PMI_process_mapping", space_), "get_result");
    return processes_on_node_of(process_, processes_, field(answer, "value"));
  }

  int fd_;
  int process_;
  int processes_;
  int piece_chars_ = 0;
  std::string space_;
  std::optional<Presence> presence_;
};

}  // namespace

std::unique_ptr<Exchange> open_pmi1(std::string& why_not) {
  if (std::getenv("PMI_FD") == nullptr) {
    why_not = "PMI-1: no PMI_FD in the environment";
    return nullptr;
  }
  const int fd = variable("PMI_FD");
  const int process = variable("PMI_RANK");
  const int processes = variable("PMI_SIZE");
  if (fd < 0 || processes < 1 || process < 0 || process >= processes) {
    why_not = "PMI-1: PMI_FD, PMI_RANK and PMI_SIZE do not make sense";
    return nullptr;
  }
  if (pollfd polled{fd, 0, 0}; poll(&polled, 1, 0) < 0 || (polled.revents & POLLNVAL) != 0) {
    why_not = fmt::format(
        "PMI-1: descriptor PMI_FD={} is closed{}", fd,
        mpi_state() == MpiState::finalised ? " (the program has called MPI_Finalize already)" : "");
    return nullptr;
  }
  return std::make_unique<Pmi1>(fd, process, processes);
}

void say_pmi1_farewell() {
  const int fd = variable("PMI_FD");
  constexpr std::string_view farewell = "cmd=finalize\n";
  if (fd < 0 || write(fd, farewell.data(), farewell.size()) < 0) return;
  constexpr int patience_ms = 2000;
  pollfd polled{fd, POLLIN, 0};
  poll(&polled, 1, patience_ms);
}

}  // namespace armature::bootstrap
