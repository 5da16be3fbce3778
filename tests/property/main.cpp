// Random operations against a model. Every rank knows the seed, so every rank can compute what all
// of them do, and what must lie in every region after it. Each performs its own part for real and
// compares its own region and its own local buffer. A case is one of
//
//   exclusive: each rank has its own part of every region, or one rank has all of it; any
//              operations, overlapping where order makes that meaningful
//   commuting: all ranks update the same places, with accumulates of one type or one kind of atomic
//
// Options: --seed S (or ARMATURE_SEED), --cases N, --seconds T, --only C to run one case. What
// fails says how to run it alone.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include "armature/armature.hpp"
#include "generate.hpp"
#include "perform.hpp"

namespace {

using namespace property;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t cases = 2000;
  double seconds = 60;
  std::int64_t only = -1;
};

constexpr std::size_t region_bytes = 192 * 1024;
constexpr std::size_t local_bytes = 64 * 1024;

Random random_for(std::uint64_t seed, std::uint64_t number, std::uint64_t part) {
  std::seed_seq mixed{seed, seed >> 32, number, part};
  return Random(mixed);
}

/// One case: what all ranks do in it.
struct Case {
  std::uint64_t number = 0;
  bool commuting = false;
  Commuting what;
  std::vector<std::vector<Step>> programs;  // of each rank
};

Case generate(const Options& options, const Job& job, std::uint64_t number) {
  Random random = random_for(options.seed, number, 0);
  Case made{.number = number, .commuting = one_in(random, 4), .what = {}, .programs = {}};
  made.what.accumulates = !one_in(random, 3);
  made.what.type = static_cast<Type>(random() % types);
  made.what.atomic = static_cast<Atomic>(random() % 4);  // those that commute
  made.what.atomic_bytes = one_in(random, 2) ? 4 : 8;
  const bool alone = one_in(random, 3);
  const auto ranks = static_cast<std::size_t>(job.ranks);
  const std::size_t actor = random() % ranks;
  const std::size_t share = job.region_bytes / ranks / 16 * 16;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Random own = random_for(options.seed, number, rank + 1);
    const Window all{0, job.region_bytes};
    if (made.commuting)
      made.programs.push_back(generate_commuting(own, job, all, made.what));
    else if (!alone)
      made.programs.push_back(generate_exclusive(own, job, {rank * share, (rank + 1) * share}));
    else
      made.programs.push_back(rank == actor ? generate_exclusive(own, job, all)
                                            : std::vector<Step>{});
  }
  return made;
}

class Test {
 public:
  Test(armature::World& world, const Options& options)
      : world_(world),
        options_(options),
        job_{.ranks = world.size(), .region_bytes = region_bytes, .local_bytes = local_bytes},
        regions_(world.allocate<std::byte>(region_bytes)),
        model_(static_cast<std::size_t>(world.size()), Memory(region_bytes)),
        local_(local_bytes),
        local_model_(local_bytes),
        scratch_(local_bytes),
        performer_(regions_, local_) {}

  void run_case(std::uint64_t number) {
    now_ = generate(options_, job_, number);
    if (now_.commuting && now_.what.accumulates) start_from_small_numbers();
    world_.barrier();
    for (int rank = 0; rank < world_.size(); ++rank) {
      if (rank != world_.rank()) imagine(now_.programs[static_cast<std::size_t>(rank)]);
    }
    for (const Step& step : now_.programs[static_cast<std::size_t>(world_.rank())]) carry_out(step);
    world_.barrier();
    compare("the region", regions_.local(), model_[static_cast<std::size_t>(world_.rank())],
            nullptr);
  }

  void close() { world_.free(regions_); }

 private:
  Memory& model_of(const Operation& op) { return model_[static_cast<std::size_t>(op.rank)]; }

  /// Applies what others do to the model. Their local buffers are none of our business, except as
  /// sources.
  void imagine(const std::vector<Step>& program) {
    for (const Step& step : program) {
      for (const Operation& op : step.operations) {
        if (op.kind == Kind::get) continue;
        fill_source(op, scratch_);
        (void)apply(op, model_of(op), scratch_);
      }
    }
  }

  void carry_out(const Step& step) {
    for (const Operation& op : step.operations) {
      fill_source(op, local_);
      fill_source(op, local_model_);
    }
    performer_.perform(step, [&](const Operation& op, std::uint64_t found) {
      const std::uint64_t expected = apply(op, model_of(op), local_model_);
      if (!now_.commuting && found != expected) fail("an atomic returned another value", &op);
    });
    for (const Operation& op : step.operations) {
      if (op.kind != Kind::atomic) (void)apply(op, model_of(op), local_model_);
    }
    compare("the local buffer", local_, local_model_, &step.operations[0]);
  }

  void start_from_small_numbers() {
    world_.barrier();  // nobody still reads the last case's
    Operation all{.kind = Kind::put, .form = Form::block, .counts = {region_bytes}};
    all.type = now_.what.type;
    all.typed_source = true;
    for (std::size_t rank = 0; rank < model_.size(); ++rank) {
      all.source_seed = now_.number * 64 + rank;
      fill_source(all, model_[rank]);
    }
    std::memcpy(regions_.local().data(), model_[static_cast<std::size_t>(world_.rank())].data(),
                region_bytes);
  }

  void compare(const char* what, std::span<const std::byte> real, const Memory& expected,
               const Operation* op) {
    if (std::memcmp(real.data(), expected.data(), expected.size()) == 0) return;
    std::size_t at = 0;
    while (real[at] == expected[at]) ++at;
    std::ostringstream text;
    text << what << " differs from the model at byte " << at;
    fail(text.str(), op);
  }

  [[noreturn]] void fail(const std::string& what, const Operation* op) {
    std::ostringstream text;
    text << "property test, rank " << world_.rank() << ": " << what << "; again with: -n "
         << world_.size() << " ... --seed " << options_.seed << " --only " << now_.number << '\n';
    if (op != nullptr) text << "in the step of: " << op->text() << '\n';
    for (std::size_t rank = 0; op == nullptr && rank < now_.programs.size(); ++rank) {
      for (const Step& step : now_.programs[rank])
        for (const Operation& o : step.operations)
          if (o.rank == world_.rank()) text << "rank " << rank << ": " << o.text() << '\n';
    }
    std::fputs(text.str().c_str(), stderr);
    armature::abort(1, text.str().substr(0, text.str().find('\n')));
  }

  armature::World& world_;
  const Options& options_;
  Job job_;
  armature::Piece<std::byte> regions_;
  std::vector<Memory> model_;
  Memory local_;
  Memory local_model_;
  Memory scratch_;
  Performer performer_;
  Case now_;
};

Options parse(int argc, char** argv) {
  Options options;
  if (const char* seed = std::getenv("ARMATURE_SEED"))
    options.seed = std::strtoull(seed, nullptr, 0);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* const value = argv[i + 1];
    if (name == "--seed") options.seed = std::strtoull(value, nullptr, 0);
    if (name == "--cases") options.cases = std::strtoull(value, nullptr, 0);
    if (name == "--seconds") options.seconds = std::strtod(value, nullptr);
    if (name == "--only") options.only = std::strtoll(value, nullptr, 0);
  }
  return options;
}

/// Returns how many cases there was time for; rank 0's clock decides for all.
std::uint64_t run_cases(armature::World& world, const Options& options) {
  Test test(world, options);
  if (options.only >= 0) {
    test.run_case(static_cast<std::uint64_t>(options.only));
    test.close();
    return 1;
  }
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  std::uint64_t number = 0;
  for (; number < options.cases; ++number) {
    if (number % 32 == 0 &&
        broadcast(world, std::chrono::steady_clock::now() > end ? 1 : 0, 0) != 0)
      break;
    test.run_case(number);
  }
  test.close();
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    const Options options = parse(argc, argv);
    const std::uint64_t cases = run_cases(world, options);
    if (world.rank() == 0)
      std::cout << cases << " cases on " << world.size() << " ranks agree with the model (seed "
                << options.seed << ")\n";
  });
}
