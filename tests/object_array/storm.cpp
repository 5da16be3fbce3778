// Elements that move while everybody calls them. Every call carries its number among those of its
// rank to its element. The element, which takes its count along, ends the job when one is missing,
// comes twice or comes too early. What a run does is decided by a seed (STORM_SEED): who calls
// whom, when elements move, whether methods call on, ask in the middle, move themselves, or leave a
// continuation that writes to the element later. Other elements come and go meanwhile: each call to
// one of them must be executed or refused, once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/rmi.hpp>

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15 + 1) { (void)below(2); }
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 7) % bound;
  }

 private:
  std::uint64_t state_;
};

struct Element;
using Array = armature::object_array_ref<Element, std::string>;

/// Numbers a call among those of its rank to its element, in the order in which they are sent. A
/// rank that has no room for one lets others in first.
struct Number {
  std::uint64_t* counter = nullptr;
  std::uint64_t value = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    if (counter != nullptr && archive.is_packing()) value = (*counter)++;
    archive(value);
  }
  std::uint64_t get() { return counter == nullptr ? value : (*counter)++; }
};

/// Keeps what a rank has sent to whom, and what became of calls to elements that come and go.
struct Book {
  Array array;
  Dice dice{1};
  int steady = 1, fleeting = 1;
  std::map<std::string, std::uint64_t> sent;
  std::uint64_t sent_fleeting = 0, executed_fleeting = 0, refused = 0;
  std::uint64_t continuations = 0;

  std::string pick() { return "steady " + std::to_string(dice.below(number(steady))); }
  std::string pick_fleeting() { return "fleeting " + std::to_string(dice.below(number(fleeting))); }
  int member() { return static_cast<int>(dice.below(number(array.team().size()))); }
  static std::uint64_t number(int n) { return static_cast<std::uint64_t>(n); }
  void call(const std::string& index, int depth);
  void ask(const std::string& index);
  void call_fleeting();
  [[nodiscard]] std::uint64_t sent_to(const std::string& index) const {
    const auto found = sent.find(index);
    return found == sent.end() ? 0 : found->second;
  }
};
using Books = armature::shared_ref<Book>;

struct Element {
  std::string name;
  std::map<int, std::uint64_t> next;
  std::vector<double> ballast;
  std::uint64_t calls = 0;
  std::uint64_t continued = 0;

  void define_type(armature::typer& t) {
    t.local(continued);
    t.local(name);
    t.local(next);
    t.local(ballast);
    t.local(calls);
  }
  void take(int caller, std::uint64_t number) {
    if (number != next[caller]++)
      armature::abort(3, name + ": call " + std::to_string(number) + " of rank " +
                             std::to_string(caller) + " came when " +
                             std::to_string(next[caller] - 1) + " was due");
    ++calls;
  }
  void visit(Books books, int caller, Number number, int depth) {
    take(caller, number.get());
    Book& here = books.local();
    if (here.dice.below(4) == 0) here.array[name].move_to(here.member());
    for (int child = 0; depth > 0 && child < 2; ++child) here.call(here.pick(), depth - 1);
    if (depth > 0 && here.dice.below(3) == 0) here.ask(here.pick());
    if (here.dice.below(3) != 0) return;
    ++here.continuations;
    (void)armature::ask(here.array.team().world_rank(here.member()), [] {
      return 1;
    }).then([this](int one) { continued += static_cast<std::uint64_t>(one); });
  }
  std::uint64_t count(int caller, Number number) {
    take(caller, number.get());
    return calls;
  }
  /// A call to an element that comes and goes: those before may have been refused.
  void pass(Books books, int caller, Number numbered) {
    const std::uint64_t number = numbered.get();
    if (number < next[caller]) armature::abort(4, name + ": a call came late or twice");
    next[caller] = number + 1;
    ++books.local().executed_fleeting;
  }
};

thread_local Books books_of_all;  // the same on every rank; some are threads of one process

void Book::call(const std::string& index, int depth) {
  array[index].async(&Element::visit, books_of_all, armature::world().rank(), Number{&sent[index]},
                     depth);
}
void Book::ask(const std::string& index) {
  if (array[index].sync(&Element::count, armature::world().rank(), Number{&sent[index]}) == 0)
    armature::abort(5, "an answer is wrong");
}
void Book::call_fleeting() {
  const std::string index = pick_fleeting();
  ++sent_fleeting;
  array[index].async(&Element::pass, books_of_all, armature::world().rank(), Number{&sent[index]});
}

class Storm {
 public:
  Storm(armature::World& world, std::uint64_t seed)
      : world_(world),
        common_(seed),
        array_(world, names(1 + static_cast<int>(common_.below(6))),
               [](const std::string& name) {
                 return Element{name, {}, {1, 2, 3}};
               }),
        books_(world) {
    books_->array = array_.ref();
    books_->steady = steady_;
    books_->fleeting = 1 + static_cast<int>(common_.below(3));
    books_->dice = Dice(seed * 1000 + static_cast<std::uint64_t>(world.rank()));
    world.barrier();
    books_of_all = books_.ref();
    armature::on_async_error([this](armature::Rank, std::string_view text) { note(text); });
    world.barrier();
  }

  void run() {
    for (std::uint64_t round = 1 + common_.below(3); round > 0; --round) one_round();
    armature::rmi_fence();
    check();
    check_continuations();
  }

 private:
  std::vector<std::string> names(int count) {
    steady_ = count;
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back("steady " + std::to_string(i));
    return all;
  }
  void note(std::string_view text) {
    if (text.find("exists") == text.npos && text.find("already") == text.npos &&
        text.find("there is no element") == text.npos)
      armature::abort(6, text);
    if (text.find("there is no element") != text.npos) ++books_->refused;
  }
  void one_round() {
    Book& book = *books_;
    for (std::uint64_t act = 10 + book.dice.below(30); act > 0; --act) {
      switch (book.dice.below(8)) {
        case 0:
          book.array[book.pick()].move_to(book.member());
          break;
        case 1:
          book.ask(book.pick());
          break;
        case 2:
          come_or_go(book);
          break;
        case 3:
        case 4:
          book.call_fleeting();
          break;
        default:
          book.call(book.pick(), static_cast<int>(book.dice.below(3)));
      }
      if (book.dice.below(5) == 0) armature::rmi_poll();
    }
    if (common_.below(2) == 0) armature::rmi_fence();
  }
  /// Impossible steps are refused, and counted with the calls that are.
  static void come_or_go(Book& book) {
    const auto one = book.array[book.pick_fleeting()];
    switch (book.dice.below(3)) {
      case 0:
        ++book.sent_fleeting;  // refused, or taken back below
        one.async_destroy();
        break;
      case 1:
        ++book.sent_fleeting;
        one.move_to(book.member());
        break;
      default:
        try {
          one.create_on(book.member(), Element{one.index(), {}, {}});
        } catch (const armature::RemoteError& error) {
          if (error.code() != armature::Errc::misuse) throw;
        }
    }
  }
  void check() {
    for (const std::string& name : names(steady_)) {
      const auto due = array_[name].visit(
          [](Element& element, int caller) { return element.next[caller]; }, world_.rank());
      if (due != books_->sent_to(name))
        armature::abort(7, name + " has executed " + std::to_string(due) + " of " +
                               std::to_string(books_->sent_to(name)) + " calls");
    }
    // Calls to elements that come and go are executed or refused; destroying and moving, which are
    // not counted when they succeed, may be refused too.
    const std::uint64_t sent = allreduce(world_, books_->sent_fleeting);
    const std::uint64_t calls = allreduce(world_, calls_sent());
    const std::uint64_t executed = allreduce(world_, books_->executed_fleeting);
    const std::uint64_t refused = allreduce(world_, books_->refused);
    if (executed + refused < calls || executed + refused > sent)
      armature::abort(8, std::to_string(executed) + " executed and " + std::to_string(refused) +
                             " refused of " + std::to_string(calls) + " calls, " +
                             std::to_string(sent) + " with others");
  }
  /// The fence does not wait for continuations.
  void check_continuations() {
    const std::uint64_t begun = allreduce(world_, books_->continuations);
    std::uint64_t run = 0;
    for (int i = 0; i < 1000 && run < begun; ++i)
      run = array_.transform_reduce(
          std::uint64_t{0}, std::plus<>(),
          [](const std::string&, const Element& element) { return element.continued; });
    if (run != begun)
      armature::abort(9, "elements know of " + std::to_string(run) + " continuations, of " +
                             std::to_string(begun));
  }
  std::uint64_t calls_sent() const {
    std::uint64_t calls = 0;
    for (const auto& [name, sent] : books_->sent)
      if (name.starts_with("fleeting")) calls += sent;
    return calls;
  }

  armature::World& world_;
  Dice common_;
  int steady_ = 0;
  armature::object_array<Element, std::string> array_;
  armature::shared<Book> books_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* seed = std::getenv("STORM_SEED");
  return armature::run(argc, argv, [&](armature::World& world) {
    Storm storm(world, seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
    storm.run();
    if (world.rank() == 0) std::printf("all calls were executed once, in their order\n");
  });
}
