// Twenty different remote calls, as a program of middling size has them: how long they take to
// compile is measured by compile_time.py.
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

namespace {

struct Item {
  int id = 0;
  std::string name;
  std::vector<double> values;
  void define_type(armature::typer& t) {
    t.local(id);
    t.local(name);
    t.local(values);
  }
};

struct Store {
  void a(int) {}
  void b(double, long) {}
  void c(const std::string&) {}
  void d(const std::vector<int>&) {}
  void e(const std::map<std::string, int>&) {}
  void f(std::optional<std::string>) {}
  void g(std::variant<int, std::string>) {}
  void h(std::span<const double>) {}
  void i(std::string_view, int) {}
  void j(const Item&) {}
  int k() { return 0; }
  std::string l(int) { return {}; }
  std::vector<std::string> m(const std::string&) { return {}; }
  std::map<int, std::vector<double>> n() { return {}; }
  Item o(int) { return {}; }
  std::pair<int, std::string> p(char) { return {}; }
  std::set<int> q() { return {}; }
};

void use(armature::shared_ref<Store> store) {
  store.async(1, &Store::a, 1);
  store.async(1, &Store::b, 1.0, 2);
  store.async(1, &Store::c, "text");
  store.async(1, &Store::d, std::vector<int>{1});
  store.async(1, &Store::e, std::map<std::string, int>());
  store.async(1, &Store::f, "text");
  store.async(1, &Store::g, 1);
  store.async(1, &Store::h, std::vector<double>(3));
  store.async(1, &Store::i, "text", 1);
  store.async(1, &Store::j, Item());
  (void)store.sync(1, &Store::k);
  (void)store.sync(1, &Store::l, 1);
  (void)store.sync(1, &Store::m, "text");
  (void)store.sync(1, &Store::n);
  (void)store.ask(1, &Store::o, 1).get();
  (void)store.ask(1, &Store::p, 'c').get();
  (void)store.reduce(&Store::k);
  store.broadcast(&Store::a, 2);
  armature::async(
      1, [](int, const std::string&) {}, 1, "text");
  (void)armature::sync(
      1, [](std::deque<int> d) { return d; }, std::deque<int>());
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    armature::shared<Store> store(world);
    if (world.size() > 1) use(store.ref());
  });
}
