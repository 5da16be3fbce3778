"""The checks can fail: each is run on a small tree that is right, then with one thing wrong."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

GOOD = {
    "include/armature/put.hpp": "#pragma once\n#include <cstddef>\nint put(std::size_t n);\n",
    "include/armature/armature.hpp": "#pragma once\n#include <armature/put.hpp>\n",
    "src/base/error.hpp": "#pragma once\n#include <string>\n",
    "src/space/segment.hpp": '#pragma once\n#include "base/error.hpp"\n',
    "src/transport/shm/mailbox.hpp": '#pragma once\n#include "space/segment.hpp"\n',
    "src/transport/transport.cpp": '#include "transport/shm/mailbox.hpp"\n',
    "src/rma/put.cpp": '#include <armature/put.hpp>\n\n#include "space/segment.hpp"\n',
    "compat/armci/include/armci.h": "#ifndef A\n#define A\nint ARMCI_Init(void);\n#endif\n",
    "examples/hello.cpp": "#include <armature/armature.hpp>\n",
}


class Checks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name, text in GOOD.items():
            self.plant(name, text)
        for name in ("layers.toml", "words.toml"):
            self.plant(f"check/{name}", (HERE / name).read_text())
        shutil.copy(HERE.parent / ".clang-format", self.root)

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, check, *flags):
        words = [sys.executable, "-B", HERE / f"{check}.py", "--root", self.root, *flags]
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def passes(self, check, *flags):
        status, output = self.run_check(check, *flags)
        self.assertEqual(status, 0, output)

    def fails(self, check, words, *flags):
        status, output = self.run_check(check, *flags)
        self.assertEqual((status, words in output), (1, True), output)

    def test_layers_let_good_includes_pass(self):
        self.passes("layers")

    def test_layers_find_an_include_that_goes_up(self):
        self.plant("src/base/log.cpp", '#include "space/segment.hpp"\n')
        self.fails("layers", "higher floor")

    def test_layers_find_a_part_of_another_room(self):
        self.plant("src/rma/get.cpp", '#include "transport/shm/mailbox.hpp"\n')
        self.fails("layers", "private to transport")

    def test_layers_find_a_sibling_part(self):
        self.plant("src/transport/sim/clock.cpp", '#include "transport/shm/mailbox.hpp"\n')
        self.fails("layers", "sibling")

    def test_layers_find_third_parties_in_public_headers(self):
        self.plant("include/armature/get.hpp", "#pragma once\n#include <fmt/core.h>\n")
        self.fails("layers", "shows 'fmt/core.h'")

    def test_layers_find_private_includes_in_public_headers(self):
        self.plant("include/armature/get.hpp", '#pragma once\n#include "space/segment.hpp"\n')
        self.fails("layers", "shows 'space/segment.hpp'")

    def test_layers_find_a_public_header_that_has_no_floor(self):
        self.plant("include/armature/fetch.hpp", "#pragma once\n")
        self.fails("layers", "include/armature/fetch.hpp: has no floor")

    def test_cycles_let_components_pass_that_know_each_other_one_way(self):
        self.passes("cycles")

    def test_cycles_find_two_sources_that_know_each_other_s_headers(self):
        for one, other in (("segment", "page"), ("page", "segment")):
            self.plant(f"src/space/{one}.hpp", "#pragma once\n")
            self.plant(f"src/space/{one}.cpp", f'#include "space/{one}.hpp"\n#include "space/{other}.hpp"\n')
        self.fails("cycles", "page -> segment, segment -> page")
        self.plant("check/cycles.toml", 'circles = [["src/space/segment", "src/space/page", "src/space/slot"]]\n')
        self.fails("cycles", "src/space/slot is in no circle any more")
        self.plant("check/cycles.toml", 'circles = [["src/space/segment", "src/space/page"]]\n')
        self.passes("cycles")

    def test_united_finds_a_constant_with_a_namesake_in_an_enclosing_namespace(self):
        table = "namespace armature{} {{\nnamespace {{\nconstexpr int most = 1;\n}}  // namespace\n}}  // namespace\n"
        self.plant("CMakeLists.txt", "armature_unite(armature_objects TOGETHER array+task base+copies)\n")
        for name, inner in (("rma/kind", ""), ("base/kind", "::base"), ("team/kind", "::team")):
            self.plant(f"src/{name}.cpp", table.format(inner))
        self.passes("united")
        for name, inner in (("copies/call", "base/kind"), ("team/call", "team/kind")):
            self.plant(f"src/{name}.cpp", table.format(""))
            self.fails("united", f"src/{inner}.cpp: most is also a constant of src/{name}.cpp")

    def test_cycles_find_one_across_parts_of_a_room_and_leave_unit_tests_out(self):
        self.plant("src/transport/shm/mailbox.hpp", '#pragma once\n#include "transport/ring.hpp"\n')
        self.plant("src/transport/ring.hpp", "#pragma once\n")
        self.plant("src/transport/ring_test.cpp", '#include "transport/shm/mailbox.hpp"\n')
        self.passes("cycles")
        self.plant("src/transport/ring.cpp", '#include "transport/shm/mailbox.hpp"\n')
        self.fails("cycles", "mailbox -> ring, ring -> mailbox")

    def test_layers_keep_containers_above_all_other_public_headers(self):
        self.plant("include/armature/container/map.hpp", '#pragma once\n#include "armature/put.hpp"\n')
        self.passes("layers")
        self.plant("include/armature/get.hpp", '#pragma once\n#include "armature/container/map.hpp"\n')
        self.fails("layers", "stands on all other public headers")

    def test_layers_keep_containers_from_private_parts_of_public_headers(self):
        self.plant("include/armature/algorithm/sort.hpp", '#pragma once\n#include "armature/detail/wire.hpp"\n')
        self.fails("layers", "not on <armature/detail/wire.hpp>")

    def test_layers_keep_doors_and_the_toy_layer_from_private_parts_of_public_headers(self):
        for name in ("compat/armci/put.cpp", "bindings/put.cpp", "tests/layer/toy.cpp"):
            self.plant(name, "#include <armature/put.hpp>\n#include <armature/layer/wait.hpp>\n")
            self.passes("layers")
            self.plant(name, "#include <armature/detail/transfer.hpp>\n")
            self.fails("layers", "not on <armature/detail/transfer.hpp>")
            self.plant(name, "")
        self.plant("tests/virtual/toy.cpp", "#include <armature/detail/transfer.hpp>\n")
        self.passes("layers")
        self.plant("tests/layer/toy.cpp", '#include "space/segment.hpp"\n')
        self.fails("layers", "stands on the public headers alone, not on src/space")

    def test_layers_keep_the_harness_to_tests(self):
        self.plant("tests/harness/job.hpp", '#pragma once\n#include "space/segment.hpp"\n')
        self.plant("src/rma/get_test.cpp", '#include "harness/job.hpp"\n')
        self.plant("tests/virtual/toy.cpp", '#include "harness/job.hpp"\n')
        self.passes("layers")
        for name in ("src/rma/get.cpp", "src/rma/get.hpp", "bench/get.cpp", "compat/armci/get.cpp", "tests/layer/toy.cpp"):
            self.plant(name, '#include "harness/job.hpp"\n')
            self.fails("layers", f"{name}:1: 'harness/job.hpp' is for tests alone")
            self.plant(name, "")
        self.plant("src/rma/get.cpp", '#include "../../tests/harness/job.hpp"\n')
        self.fails("layers", "for tests alone")

    def test_layers_keep_hwloc_in_its_room(self):
        self.plant("src/rma/bind.cpp", "#include <hwloc.h>\n")
        self.fails("layers", "src/command/run only")

    def test_layers_keep_compat_and_examples_on_the_public_headers(self):
        self.plant("compat/armci/put.cpp", '#include "../../src/space/segment.hpp"\n')
        self.fails("layers", "public headers alone")

    def test_layers_keep_the_benchmarks_out_of_rma(self):
        self.plant("src/rma/put.hpp", "#pragma once\n")
        self.plant("bench/put.cpp", '#include <armature/put.hpp>\n')
        self.passes("layers")
        self.plant("bench/put.cpp", '#include "rma/put.hpp"\n')
        self.fails("layers", "bench may not see")

    def test_layers_put_the_command_on_top_of_all_rooms(self):
        self.plant("src/command/run/launch.hpp", '#pragma once\n#include "transport/shm/mailbox.hpp"\n')
        self.passes("layers")
        self.plant("src/world/start.cpp", '#include "command/run/launch.hpp"\n')
        self.fails("layers", "higher floor")

    def test_layers_let_a_part_of_the_command_include_those_before_it(self):
        self.plant("src/command/explain/text.hpp", "#pragma once\n")
        self.plant("src/command/run/launch.hpp", '#pragma once\n#include "command/explain/text.hpp"\n')
        self.plant("src/command/main.cpp", '#include "command/run/launch.hpp"\n')
        self.passes("layers")
        self.plant("src/command/explain/text.cpp", '#include "command/run/launch.hpp"\n')
        self.fails("layers", "sibling")

    def test_headers_find_one_that_needs_another(self):
        self.passes("headers")
        self.plant("include/armature/get.hpp", "#pragma once\nstd::size_t get();\n")
        self.fails("headers", "armature/get.hpp as c++20")

    def test_headers_find_one_that_cannot_be_included_twice(self):
        self.plant("include/armature/get.hpp", "struct Get {};\n")
        self.fails("headers", "redefinition")

    def test_headers_compile_c_as_c(self):
        self.plant("compat/armci/include/armci.h", "#pragma once\nclass Armci;\n")
        self.fails("headers", "armci.h as c11:")

    def test_umbrella_only_shrinks(self):
        self.passes("umbrella", "--grow")
        self.plant("include/armature/put.hpp", GOOD["include/armature/put.hpp"] + "int get();\n")
        self.fails("umbrella", "the limit is")
        self.fails("umbrella", "the limit is", "--update")
        self.passes("umbrella", "--grow")

    def test_sizes_find_a_long_file(self):
        self.passes("sizes")
        self.plant("src/base/long.cpp", "int x;\n" * 401)
        self.fails("sizes", "src/base/long.cpp has 401 lines")
        self.fails("sizes", "split it", "--update")
        self.passes("sizes", "--grow")
        self.plant("src/base/long.cpp", "int x;\n" * 399)
        self.fails("sizes", "shrank")
        self.passes("sizes", "--update")

    def test_sizes_find_a_long_function_of_any_kind(self):
        body = " {\n" + "  f();\n" * 60 + "}\n"
        for signature, name in (
                ("int walk(int a)", "walk"), ("Segment::Segment(int a)\n    : a_{a}, b_{f(a)}", "Segment::Segment"),
                ("template <class T>\nauto Map::at(T key) const noexcept -> int", "Map::at"),
                ("TEST(Put, is_visible)", "TEST(Put, is_visible)"),
                ("namespace x {\nclass A {\n  int f() { return 1; }\n  bool operator==(int o)",
                 "operator==")):
            closing = "};\n}\n" if "namespace" in signature else ""
            self.plant("src/base/walk.cpp", signature + body + closing)
            self.fails("sizes", f"src/base/walk.cpp:{name} has")

    def test_sizes_do_not_take_a_class_for_a_function(self):
        self.plant("src/base/a.hpp", "struct alignas(64) A {\n" + "  int f();\n" * 90 + "};\n")
        self.passes("sizes")

    def test_sizes_find_a_class_of_many_methods(self):
        names = "".join(f"  int f{n}();\n" for n in range(25))
        beside = ("  A();\n  ~A();\n  int f1(int) const;\n  A& operator=(const A&) = delete;\n  using B::g;\n"
                  "  static int h_;\n  friend int k(A);\n  [[deprecated(\"f1\")]] int old();\n"
                  "  struct Part {\n    int p();\n    int q();\n  };\n  std::function<int(int)> call_;\n")
        self.plant("src/base/a.hpp", "class A final : public B {\n public:\n" + names + beside + "};\n")
        self.passes("sizes")
        for one_more in ("int z();", "explicit operator bool() const;", "bool operator<(int o) const;",
                         "template <class T>\n  requires(sizeof(T) > 8)\n  int z(T value = {}) { return 1; }",
                         "[[nodiscard]] auto z() const -> int override { return {}; }",
                         "virtual std::array<int, 3> z(int (*f)(int)) = 0;"):
            self.plant("src/base/a.hpp", f"class A {{\n{names}{beside} private:\n  {one_more}\n}};\n")
            self.fails("sizes", "A has 26 method names, its limit is 25")

    def test_sizes_find_a_class_of_many_fields(self):
        fields = ("  int a_, b_ = 2;\n  std::map<int, int> c_{};\n  int d_[3];\n  int (*e_)(int) = nullptr;\n"
                  "  std::function<void(int)> f_ = [] { return; };\n  alignas(64) std::atomic<int> g_{0};\n"
                  "  unsigned h_ : 3;\n  const int& i_;\n" + "".join(f"  int x{n}_;\n" for n in range(11)))
        beside = ("  static constexpr int k = 3;\n  A() : a_{1}, b_{2} {}\n  int m(int a, int b);\n"
                  "  enum class E { one, two };\n")
        self.plant("src/base/a.hpp", f"struct A {{\n{fields}{beside}}};\n")
        self.passes("sizes")
        self.plant("src/base/a.hpp", f"struct A {{\n{fields}{beside}  struct {{ int b; }} z_;\n}};\n")
        self.fails("sizes", "A has 21 fields, its limit is 20")

    def test_sizes_let_a_class_move_and_shrink_but_not_grow(self):
        def plant(name, methods):
            names = "".join(f"  int f{n}();\n" for n in range(methods))
            self.plant(name, f"namespace n {{\nclass A {{\n{names}}};\n}}\n")
        plant("src/base/a.hpp", 30)
        self.fails("sizes", "A has 30 method names", "--update")
        self.passes("sizes", "--grow")
        (self.root / "src/base/a.hpp").unlink()
        plant("src/space/a.hpp", 30)
        self.passes("sizes")
        plant("src/space/a.hpp", 31)
        self.fails("sizes", "A has 31 method names, its limit is 30")
        plant("src/space/a.hpp", 28)
        self.passes("sizes")
        self.passes("sizes", "--update")
        plant("src/space/a.hpp", 29)
        self.fails("sizes", "A has 29 method names, its limit is 28")
        plant("src/space/a.hpp", 2)
        self.passes("sizes", "--update")
        plant("src/space/a.hpp", 26)
        self.fails("sizes", "its limit is 25")

    def test_format_finds_a_crooked_line(self):
        self.passes("format")
        self.plant("src/base/log.cpp", "int  f( ) {return 1 ;}\n")
        self.fails("format", "src/base/log.cpp")

    def test_snippets_find_code_that_is_not_in_its_example(self):
        block = "<!-- examples/hello.cpp -->\n```cpp\n{}\n```\n"
        self.plant("docs/guide/hello.md", block.format("  #include <armature/armature.hpp>"))
        self.passes("snippets")
        self.plant("docs/guide/hello.md", block.format("#include <armature/hello.hpp>"))
        self.fails("snippets", "not in examples/hello.cpp")

    def test_algorithms_find_those_without_a_test_or_costs(self):
        self.plant("docs/guide/algorithms.md", "")
        self.plant("include/armature/algorithm/twist.hpp",
                   "namespace armature {\ntemplate <class R>\nvoid twist(R&& range) {}\n}\n")
        self.fails("algorithms", "calls armature::twist")
        self.plant("tests/containers/twist_test.cpp", "TEST(Twist, turns) {\n  armature::twist(1);\n}\n")
        self.fails("algorithms", "tells what its algorithms cost")
        self.fails("algorithms", "the standard's sort is in no header")

    def test_words_find_what_is_unfinished_or_local(self):
        self.passes("words")
        self.plant("src/base/log.cpp", "// FIX" + "ME: later\n")
        self.fails("words", "log.cpp:1")
        self.plant("src/base/log.cpp", 'auto p = "/wor' + 'k/main/x";\n')
        self.fails("words", "a path of one machine")

    def test_words_find_long_sentences_and_lines_but_not_in_tables_and_code(self):
        long = "word " * 31 + "\n"
        self.plant("docs/a.md", f"| {'word ' * 40} |\n\n```\n{long}```\n\n    {long}\n# {long}\n"
                   f"{'word ' * 29}`a b`.\n{'word ' * 24}: it ends.\n")
        self.fails("words", "130 characters")  # a line of code is a line
        self.plant("docs/a.md", self.lines_of(30) + ".\n\n* " + self.lines_of(30) + "\n* End. " + self.lines_of(30))
        self.passes("words")
        self.plant("docs/a.md", "First.\n\n" + self.lines_of(31) + ".\n")
        self.fails("words", "docs/a.md:3: 'word word word word word...' has 31 words")
        self.plant("docs/a.md", self.lines_of(20) + "; " + self.lines_of(11))
        self.fails("words", "has 31 words")

    @staticmethod
    def lines_of(words):
        return "\n".join(" ".join(["word"] * min(20, words - at)) for at in range(0, words, 20))

    def test_words_find_comments_that_open_without_their_subject(self):
        self.plant("src/base/log.hpp", "/// The place where\n/// What is put goes.\nint a;  // the rest\n"
                   'auto b = "http://What";\n')
        self.passes("words")
        for comment in ("/// What is put", "// Of those that wait", "int c;  ///< Where it lies", "/// Whoever asks",
                        "/// The same, but later", "/// Who waits"):
            self.plant("src/base/log.hpp", f"int a;\n{comment}.\nint b;\n")
            self.fails("words", "src/base/log.hpp:2: '")

    def test_words_find_coined_names_that_the_glossary_does_not_explain(self):
        self.plant("check/words.toml", (self.root / "check/words.toml").read_text() +
                   '\n[mended]\n[coined]\n'.replace("[mended]\n[coined]\n", ""))
        coined = "na" + "p"
        for text in (f"int {coined};", f"int {coined}_ns;", f"struct {coined.title()} {{}};", f"// two {coined}s",
                     f"int {coined.title()}Time;"):
            self.plant("src/base/log.hpp", text + "\n")
            self.fails("words", "is a name of our own: write park")
        for text in ("int napkin;", "int snap;", "using Snap = int;", f"// deprecated: {coined}", f"void _ZN3{coined}Ev();"):
            self.plant("src/base/log.hpp", text + "\n")
            self.passes("words")
        self.plant("src/base/log.hpp", f"int {coined};\n")
        self.plant("docs/internals/glossary.md", f"| **{coined}** | A short sleep. | park |\n")
        self.passes("words")

    def test_words_on_the_record_only_become_fewer_and_may_move(self):
        comment = "int a;\n// What is put.\n"
        law = (self.root / "check/words.toml").read_text()
        law = re.sub(r"openings = \[.*?\]", "openings = []", law, flags=re.DOTALL)
        self.plant("check/words.toml", law)
        self.plant("src/base/log.hpp", comment)
        self.plant("check/words.json",
                   '{"coined": {}, "lines": {}, "openings": {"src/base/log.hpp": 1}, "sentences": {}}')
        self.passes("words")
        self.plant("src/base/clock.hpp", comment)
        self.fails("words", "src/base/clock.hpp: 1 openings, its record is 0")
        self.fails("words", "its record is 0", "--update")
        self.plant("src/base/log.hpp", "int a;\n")
        self.passes("words")
        self.passes("words", "--update")
        self.plant("src/base/clock.hpp", comment + comment)
        self.fails("words", "2 openings, its record is 1")
        self.plant("check/words.toml", law.replace("openings = [", 'openings = ["src/base/c*.hpp"'))
        self.plant("src/base/clock.hpp", comment)
        self.fails("words", "src/base/clock.hpp:2: 'What is put....'")

    def test_paths_find_a_file_that_is_not_there(self):
        self.plant("docs/a.md", "# A `put`, and more\n\nSee [put](../include/armature/put.hpp#x), `src/rma/put.cpp`,\n"
                   "`rma/put.cpp`, `put.cpp`, [more](#a-put-and-more), [it](a.md#a-put-and-more), src/space,\n"
                   "`armature/put.hpp:3`, `src/transport/shm/*.hpp`, `examples/hello`,\n"
                   "[site](https://a/b.md).\n\n"
                   "```\nsrc/mine.cpp\n```\n\n    edit `yours.cpp`\n")
        self.passes("paths")
        for gone in ("[put](put.hpp)", "[more](#a-put)", "[more](a.md#put)", "`src/rma/get.cpp`", "`rma/get.cpp`",
                     "`get.cpp`", "(src/get)", "`src/rma/*.hpp`", "`armature/get.hpp`", "`examples/get`"):
            self.plant("docs/a.md", f"One.\n{gone}\n")
            self.fails("paths", "docs/a.md:2: there is no ")

    def test_exports_find_a_symbol_that_is_not_listed(self):
        self.plant("lib.cpp", "namespace armature { int put(int n) { return n; } }\n")
        subprocess.run(["g++", "-shared", "-fPIC", "-o", self.root / "libarmature.so", self.root / "lib.cpp"], check=True)
        flags = ("--libraries", self.root)
        self.fails("exports", "not listed: libarmature.so armature::put(int)", *flags)
        self.passes("exports", *flags, "--update")
        self.plant("check/exports.txt", "libarmature.so armature::get(int)\n")
        self.fails("exports", "listed but not exported: libarmature.so armature::get(int)", *flags)

    def test_statics_find_one_that_is_not_listed_and_one_that_is_gone(self):
        self.plant("lib.cpp", "namespace armature { static int calls; const int limit = 3;\n"
                   "int once() { static int made = (calls += limit); return made; } }\n")
        subprocess.run(["g++", "-shared", "-fPIC", "-o", self.root / "libarmature.so", self.root / "lib.cpp"], check=True)
        flags = ("--libraries", self.root)
        self.plant("check/statics.toml", "[armature]\nmost = 0\n")
        self.fails("statics", "armature::calls is not listed", *flags)
        self.fails("statics", "armature::once()::made is not listed", *flags)
        listed = '[armature.statics]\n"armature::calls" = "counts"\n"armature::once()::made" = "{}"\n'
        self.plant("check/statics.toml", "[armature]\nmost = 2\n" + listed.format("is made once"))
        self.passes("statics", *flags)
        self.plant("check/statics.toml", "[armature]\nmost = 2\n" + listed.format(""))
        self.fails("statics", "has no reason", *flags)
        self.plant("check/statics.toml", "[armature]\nmost = 3\n" + listed.format("is made once"))
        self.fails("statics", "it only shrinks", *flags)
        self.plant("lib.cpp", "namespace armature { int calls() { return 3; } }\n")
        subprocess.run(["g++", "-shared", "-fPIC", "-o", self.root / "libarmature.so", self.root / "lib.cpp"], check=True)
        self.fails("statics", "armature::calls is no more", *flags)


if __name__ == "__main__":
    unittest.main()
