// Cases that must not compile, chosen by CASE; 0 compiles. refused.py knows what the compiler must
// say.
#include <cstdio>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include <armature/rmi.hpp>

struct Account {
  void add(int amount) { balance += amount; }
  void add_two(int a, const std::string& b) { balance += a + static_cast<int>(b.size()); }
  void write(std::FILE* file) { std::fputs("", file); }
  void set(int* pointer) { balance = *pointer; }
  void output(int& into) { into = balance; }
  void fill(std::span<double> values) { values[0] = balance; }
  std::mutex& lock() { return mutex; }
  std::string_view name() const { return "name"; }
  int* address() { return &balance; }
  int balance = 0;
  std::mutex mutex;
};
struct Other {
  void touch() {}
};
#if CASE == 17
struct Holds {
  std::FILE* file = nullptr;
  void define_type(armature::typer& t) { t.local(file); }
};
void take(const Holds&) {}
#endif

void calls(armature::shared_ref<Account> account, armature::remote<Account> one) {
  int n = 0;
  account.async(1, &Account::add, 1);
#if CASE == 1
  account.async(1, &Account::write, stdout);
#elif CASE == 2
  account.async(1, &Account::set, &n);
#elif CASE == 3
  account.async(1, &Account::add);
#elif CASE == 4
  account.async(1, &Account::add, "text");
#elif CASE == 5
  (void)account.sync(1, &Account::add_two, 1);
#elif CASE == 6
  account.async(1, &Account::output, n);
#elif CASE == 7
  account.async(1, &Other::touch);
#elif CASE == 8
  one.async(&Other::touch);
#elif CASE == 9
  (void)one.sync(&Account::lock);
#elif CASE == 10
  (void)one.sync(&Account::name);
#elif CASE == 11
  (void)one.ask(&Account::address);
#elif CASE == 12
  account.async(1, &Account::fill, std::span<double>());
#elif CASE == 13
  armature::async(1, [&n] { ++n; });
#elif CASE == 14
  const std::string text = "captured";
  armature::async(1, [text] { std::puts(text.c_str()); });
#elif CASE == 15
  armature::async(
      1, [](auto x) { return x.none(); }, 1);
#elif CASE == 16
  armature::async(
      1, [](int* p) { ++*p; }, &n);
#elif CASE == 17
  armature::async(1, take, Holds());
#elif CASE == 18
  (void)armature::make_remote<Account>(1, &n);
#elif CASE == 19
  armature::async(
      1, [](auto& x) { ++x; }, n);
#endif
  (void)n;
  (void)one;
}
