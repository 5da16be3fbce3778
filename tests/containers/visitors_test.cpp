// Entries, vertices and elements on another rank may be visited by what async takes, too. A
// reference that a lambda has captured means nothing there.
#include <functional>
#include <string>

#include <armature/container.hpp>
#include <armature/object_array.hpp>

namespace {

using Map = armature::map_ref<int, long>;
using Multimap = armature::multimap_ref<int, long>;
using Set = armature::set_ref<int>;
using Graph = armature::graph_ref<long, long>;
using Vector = armature::vector_ref<long>;
using Element = armature::object_array_element<long, int>;
using Array = armature::object_array_ref<std::string, int>;

template <class F>
concept Visits = requires(Map map, Multimap multimap, Set set, Graph graph, Vector vector,
                          Element element, F f) {
  vector.async_visit(1, f);
  vector.visit(1, f);
  map.async_visit(1, f);
  map.async_visit_if_present(1, f);
  map.visit(1, f);
  multimap.async_visit(1, f);
  set.async_insert(1, f);
  graph.async_visit(1, f);
  graph.visit(1, f);
  element.async_visit(f);
  element.visit(f);
};
template <class F>
concept VisitsSomewhere = requires(Map map, F f) {
  map.async_visit(1, f);
}
|| requires(Map map, F f) { map.async_visit_if_present(1, f); }
|| requires(Map map, F f) { map.visit(1, f); }
|| requires(Vector vector, F f) { vector.async_visit(1, f); }
|| requires(Vector vector, F f) { vector.visit(1, f); }
|| requires(Multimap multimap, F f) { multimap.async_visit(1, f); }
|| requires(Set set, F f) { set.async_insert(1, f); }
|| requires(Graph graph, F f) { graph.async_visit(1, f); }
|| requires(Graph graph, F f) { graph.visit(1, f); }
|| requires(Element element, F f) { element.async_visit(f); }
|| requires(Element element, F f) { element.visit(f); };
template <class Op>
concept Combines = requires(Map map, Op op) {
  map.async_combine(1, 1L, op);
};
template <class Op>
concept Reduces = requires(Array array, Op op) {
  array.reduce(&std::string::size, op);
};

struct Captures {
  long& there;
  void operator()(auto&&...) const { ++there; }
};
struct Keeps {
  long value = 0;
  void operator()(auto&&...) const {}
};
struct Adds {
  long& there;
  long operator()(long a, long b) const { return there + a + b; }
};

static_assert(Visits<Keeps> && !VisitsSomewhere<Captures>);
static_assert(!VisitsSomewhere<decltype([&by = std::declval<long&>()](auto&&...) { ++by; })>);
static_assert(Combines<std::plus<>> && !Combines<Adds>);
static_assert(Reduces<std::plus<>> && !Reduces<Adds>);

}  // namespace
