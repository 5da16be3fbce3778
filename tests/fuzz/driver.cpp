// fuzz_packets SEED COUNT: a driver for where libFuzzer is not. It plays COUNT inputs, which one
// seed repeats exactly, and ends well when the process that they are played to has outlived all.
// `fuzz_packets --corpus FOLDER` writes what a real run has sent, for libFuzzer.
// An input that ends it, or takes more than a few seconds, is written to packets-SEED-NUMBER.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/write_all.hpp"
#include "fuzz/input.hpp"
#include "fuzz/mutate.hpp"

namespace armature::fuzz {
namespace {

constexpr unsigned patience_seconds = 150;  // for many inputs, on a busy machine

struct Current {
  const Bytes* input = nullptr;
  char file[64] = "";
};
Current current;

void write_current(int signal) {
  const int file = open(current.file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (current.input != nullptr && file >= 0)
    (void)!write(file, current.input->data(), current.input->size());
  constexpr char text[] = "packets: this input is the last: ";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  (void)!write(STDERR_FILENO, current.file, std::strlen(current.file));
  (void)!write(STDERR_FILENO, "\n", 1);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

/// Prints what was played. Returns whether every kind was, some inputs made no sense and others
/// did, chunks were evicted as they were asked for, and packets came early.
bool say_what_was_played() {
  bool all = true;
  for (std::size_t service = 0; service < tally().kinds.size(); ++service)
    for (std::size_t number = 0; number < tally().kinds[service].size(); ++number) {
      const Tally::Kind& kind = tally().kinds[service][number];
      std::printf("%s %zu: in %llu packets, %llu of which were handled\n", name_of_service(service),
                  number, static_cast<unsigned long long>(kind.played),
                  static_cast<unsigned long long>(kind.handled));
      // The one that ends a process by intent is left out.
      const bool is_played =
          kind.played > 0 || std::strcmp(name_of_service(service), "quiesce") == 0;
      if (!is_played) std::printf("  it was not tried\n");
      all = all && is_played;
    }
  std::printf("%llu inputs, %llu of them made no sense\n",
              static_cast<unsigned long long>(tally().inputs),
              static_cast<unsigned long long>(tally().corrupt));
  std::printf("%llu questions were answered, and behind %llu inputs others had come early\n",
              static_cast<unsigned long long>(tally().answered),
              static_cast<unsigned long long>(tally().early));
  const Tally::Memory& memory = tally().memory;
  std::printf("chunks registered %llu times, reused %llu times, evicted %llu times, %llu refused\n",
              static_cast<unsigned long long>(memory.registered),
              static_cast<unsigned long long>(memory.reused),
              static_cast<unsigned long long>(memory.evicted),
              static_cast<unsigned long long>(memory.refused));
  return all && tally().corrupt > 0 && tally().corrupt < tally().inputs && memory.evicted > 0 &&
         tally().answered > 0 && tally().early > 0;
}

int write_corpus(const std::string& folder) {
  int number = 0;
  for (const Bytes& input : begin_job(0)) {
    const std::string name = folder + "/" + std::to_string(number++);
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || !base::write_all(file, input.data(), input.size())) {
      std::fprintf(stderr, "fuzz_packets: %s: %s\n", name.c_str(), std::strerror(errno));
      _exit(1);
    }
    close(file);
  }
  _exit(0);  // the job goes on for ever
}

int run(std::uint64_t seed, std::uint64_t count) {
  std::vector<Bytes> corpus = begin_job(count - count / 10);
  std::printf("%zu packets of a real run\n", corpus.size());
  Mutator mutator = mutator_of(seed, std::move(corpus));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 1000 == 0) alarm(patience_seconds);
    const Bytes input = mutator.next();
    std::snprintf(current.file, sizeof current.file, "packets-%llu-%llu",
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(i));
    current.input = &input;
    play(input);
  }
  current.input = nullptr;
  alarm(0);
  const bool well = say_what_was_played();
  std::fflush(stdout);
  _exit(well ? 0 : 1);  // what the inputs have left is no job that could end
}

}  // namespace
}  // namespace armature::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "fuzz_packets SEED COUNT, or fuzz_packets --corpus FOLDER\n");
    return 2;
  }
  if (std::strcmp(argv[1], "--corpus") == 0) return armature::fuzz::write_corpus(argv[2]);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM, SIGILL})
    ::signal(signal, armature::fuzz::write_current);
  return armature::fuzz::run(std::strtoull(argv[1], nullptr, 10),
                             std::strtoull(argv[2], nullptr, 10));
}
