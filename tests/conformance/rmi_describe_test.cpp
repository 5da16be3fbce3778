// Types that say themselves what they consist of: define_type as in the ARMI paper (3.5), and
// serialize as written for cereal and Boost.
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "rmi.hpp"

using namespace conformance;

namespace {

// The paper's example.
class ObjectB {
 public:
  ObjectB() = default;
  explicit ObjectB(int n) : size(n), array(new int[static_cast<std::size_t>(n)]) {
    for (int i = 0; i < n; ++i) array[i] = i * i;
  }
  ObjectB(ObjectB&& other) noexcept
      : size(std::exchange(other.size, 0)), array(std::exchange(other.array, nullptr)) {}
  ObjectB& operator=(ObjectB&& other) noexcept {
    std::swap(size, other.size);
    std::swap(array, other.array);
    return *this;
  }
  ~ObjectB() { delete[] array; }
  void define_type(armature::typer& t) {
    t.local(size);
    t.dynamic(array, size);
  }
  int size = 0;
  int* array = nullptr;
};
class ObjectA {
 public:
  void define_type(armature::typer& t) {
    t.local(a, 10);
    t.local(b);
  }
  double a[10] = {};
  ObjectB b;
};

/// A vector as the paper describes one: begin, and an offset pointer to the end of what is used.
struct Buffer {
  Buffer() = default;
  explicit Buffer(std::size_t room, std::size_t used)
      : capacity(room), begin(new double[room]), end(begin + used) {
    for (std::size_t i = 0; i < room; ++i) begin[i] = static_cast<double>(i);
  }
  Buffer(Buffer&& other) noexcept
      : capacity(other.capacity), begin(std::exchange(other.begin, nullptr)), end(other.end) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() { delete[] begin; }
  void define_type(armature::typer& t) {
    t.local(capacity);
    t.dynamic(begin, capacity);
    t.offset(end);
  }
  std::size_t capacity = 0;
  double* begin = nullptr;
  double* end = nullptr;
};

/// Plain pointers, so that what is shared can be seen. Nobody deletes what they point to but
/// discard(), which is told a copy that has arrived.
struct Node {
  int value = 0;
  Node* left = nullptr;
  Node* right = nullptr;
  Node* top = nullptr;
  void define_type(armature::typer& t) {
    t.local(value);
    t.dynamic(left);
    t.dynamic(right);
    t.offset(top);
  }
};

void collect(const Node* below, std::set<const Node*>& nodes) {
  if (below == nullptr || !nodes.insert(below).second) return;
  collect(below->left, nodes);
  collect(below->right, nodes);
}

void discard(const Node& arrived) {
  std::set<const Node*> nodes;
  collect(arrived.left, nodes);
  collect(arrived.right, nodes);
  for (const Node* node : nodes) delete node;
}

struct Cereal {
  int number = 0;
  std::string text;
  double grid[2][2] = {};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, text, grid);
  }
  bool operator==(const Cereal& o) const {
    return number == o.number && text == o.text && std::memcmp(grid, o.grid, sizeof grid) == 0;
  }
};
struct Boost {
  std::vector<Cereal> parts;
  std::string name;
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& parts& name;
  }
  bool operator==(const Boost&) const = default;
};
/// Could be copied as bytes, but asks not to be.
struct Described {
  int sent = 0;
  int never_sent = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sent);
  }
};

}  // namespace

RMI_TEST(RmiDescribe, the_papers_objects_arrive_whole) {
  ObjectA object;
  object.b = ObjectB(100);
  for (int i = 0; i < 10; ++i) object.a[i] = i;
  const auto back = armature::sync(
      right(),
      [](ObjectA got) {
        for (double& x : got.a) x *= 2;
        return got;
      },
      std::move(object));
  EXPECT_EQ(back.a[9], 18);
  ASSERT_EQ(back.b.size, 100);
  EXPECT_EQ(back.b.array[99], 99 * 99);
}

RMI_TEST(RmiDescribe, null_pointers_stay_null) {
  const auto back = armature::sync(
      right(), [](ObjectB got) { return got; }, ObjectB());
  EXPECT_EQ(back.array, nullptr);
}

RMI_TEST(RmiDescribe, offset_pointers_point_into_the_copy) {
  const Buffer buffer(50, 20);
  const bool ok = armature::sync(
      right(),
      [](const Buffer& got) {
        return got.capacity == 50 && got.end == got.begin + 20 && got.begin[49] == 49;
      },
      Buffer(50, 20));
  EXPECT_TRUE(ok);
  const auto full = armature::sync(
      right(), [](Buffer got) { return got; }, Buffer(8, 8));
  EXPECT_EQ(full.end, full.begin + 8);
}

RMI_TEST(RmiDescribe, a_pointer_into_nothing_described_is_an_error_where_the_call_is_made) {
  const auto ignore = [](const Buffer&) {};
  Buffer buffer(10, 5);
  double elsewhere = 0;
  buffer.end = &elsewhere;
  expect_error(armature::Errc::bad_argument, {"define_type"},
               [&] { armature::sync(right(), ignore, std::move(buffer)); });
  EXPECT_EQ(armature::sync(right(), [] { return 1; }), 1) << "nothing was sent";
}

RMI_TEST(RmiDescribe, memory_that_is_shared_stays_shared) {
  Node leaf{.value = 7};
  Node left{.value = 1, .left = &leaf};
  Node right_child{.value = 2, .left = &leaf};
  Node root{.value = 3, .left = &left, .right = &right_child};
  const auto check = [](const Node& got) {
    const bool ok = got.left->value == 1 && got.right->value == 2 && got.left->left->value == 7 &&
                    got.left->left == got.right->left;
    discard(got);
    return ok;
  };
  EXPECT_TRUE(armature::sync(right(), check, root));
  Node twice{.value = 1, .left = &leaf, .right = &leaf};
  EXPECT_TRUE(armature::sync(
      right(),
      [](const Node& got) {
        const bool ok = got.left == got.right && got.left->value == 7;
        discard(got);
        return ok;
      },
      twice));
}

RMI_TEST(RmiDescribe, children_may_point_back_to_what_encloses_them) {
  Node root{.value = 3};
  Node left{.value = 1, .top = &root};
  Node leaf{.value = 7, .top = &left};
  left.left = &leaf;
  root.left = &left;
  EXPECT_TRUE(armature::sync(
      right(),
      [](const Node& got) {
        const bool ok = got.left->left->top == got.left && got.left->top == &got;
        discard(got);
        return ok;
      },
      root));
}

RMI_TEST(RmiDescribe, cereal_and_boost_style_types_travel) {
  const Cereal cereal{.number = 3, .text = "three", .grid = {{1, 2}, {3, 4}}};
  const Boost boost{.parts = {cereal, {}, cereal}, .name = "boost"};
  EXPECT_EQ(armature::sync(
                right(), [](const Cereal& got) { return got; }, cereal),
            cereal);
  EXPECT_EQ(armature::sync(
                right(), [](const Boost& got) { return got; }, boost),
            boost);
}

RMI_TEST(RmiDescribe, a_type_that_describes_itself_is_asked_though_its_bytes_would_do) {
  const auto back = armature::sync(
      right(), [](Described got) { return got; }, Described{.sent = 1, .never_sent = 2});
  EXPECT_EQ(back.sent, 1);
  EXPECT_EQ(back.never_sent, 0);
  const auto in_optional = armature::sync(
      right(), [](std::optional<Described> got) { return got; },
      std::optional(Described{.sent = 1, .never_sent = 2}));
  EXPECT_EQ(in_optional->sent, 1);
  EXPECT_EQ(in_optional->never_sent, 0);
}
