"""units.py SOURCE: how the report of ./dev papers judges, draws and writes, without running anything."""

import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "papers"))

import armci_rma  # noqa: E402
import armi_rmi  # noqa: E402
import costs  # noqa: E402
import figures  # noqa: E402
import outside  # noqa: E402
import page  # noqa: E402
import papers  # noqa: E402
import plot  # noqa: E402
import running  # noqa: E402
from figures import Claim, Figure, Measured, NotMeasured  # noqa: E402

EXPECTED = {"armi-rmi-2003": ["table-1", "table-2", "6", "7", "8", "9", "10"],
            "armci-rma-2006": ["table-1", *map(str, range(14, 25))],
            "armci-on-charm-2006": ["table-1", "2", "4", "5", "6"],
            "armci-smp-clusters-2000": ["table-1", "3", "4", "5", "6", "7"],
            "armci-1999": ["4", "5", "6"]}


def figure(measure):
    return Figure("armci-1999", "4", "a <title>", "a is ahead of b.", "nothing", [("a", "1 us", "here")], measure)


def one_of(*lefts, right=10.0):
    """A figure whose claim has these left sides, one a measurement; and how often it was measured."""
    asked = []

    def measure(_run):
        asked.append(lefts[min(len(asked), len(lefts) - 1)])
        return Measured([Claim("a is ahead", asked[-1], "<=", right)], "x", "y", {"a": [[1, asked[-1]], [10, 2.0]]},
                        [["what", "ns"], ["a", asked[-1]]])
    return figure(measure), asked


def stored(results):
    found = {"name": "armci-1999.4", "paper": "armci-1999", "heading": "armci-1999, figure 4", "title": "a <title>",
             "claim": "a is ahead of b.", "changed": "nothing", "printed": [["a", "1 us", "here"]], "commands": ["run a"],
             "seconds": 3, "when": "2026-01-01", "full": False}
    return {"machine": "2 cores", "figures": [found | results]}


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.run_ = running.Run("/nonexistent/build")

    def measured(self, *lefts, right=10.0):
        made, asked = one_of(*lefts, right=right)
        return figures.measure(made, self.run_), asked

    def test_only_a_claim_that_holds_by_far_is_measured_once(self):
        for left, held, times in ((5.0, True, 1), (9.0, True, 5), (20.0, False, 5)):
            result, asked = self.measured(left)
            self.assertEqual((result["verdicts"][0]["held"], len(asked)), (held, times))

    def test_the_middle_counts_once_the_spread_leaves_no_doubt(self):
        for lefts, expected in (((8.8, 9.0, 8.9), (True, False, 8.9, 5)),  # all agree
                                ((10.2, 10.1, 10.3), (True, False, 10.3, 5)),
                                ((10.9, 9.0, 9.8), (True, False, 9.8, 8)),  # one of seven is on the other side
                                ((9.8, 11.4, 11.2), (False, False, 11.2, 8)),
                                ((10.9, 9.8, 11.4, 9.8), (True, False, 9.8, 11)),  # two of ten are
                                ((11.4, 12.0, 11.2), (False, False, 11.2, 5))):
            result, asked = self.measured(*lefts)
            verdict = result["verdicts"][0]
            self.assertEqual((verdict["held"], verdict["close"], verdict["left"], len(asked)), expected, lefts)

    def test_the_middle_decides_of_what_cannot_be_told_apart(self):
        for first, second, held in ((10.4, 10.6, True), (10.6, 10.4, False)):
            result, asked = self.measured(*[first, second] * 30)
            verdict = result["verdicts"][0]
            self.assertEqual((verdict["held"], verdict["close"], len(asked)), (held, True, figures.MOST))
            self.assertEqual((verdict["low"], verdict["high"]), (1.04, 1.06))
            said = " ".join(page.in_words(stored(result)).split())
            self.assertIn(f"{'held' if held else 'not held'}. Within the spread: the middle of the ratios lies between 1.040 "
                          "and 1.060, and the border is 1.05.", said)

    def test_the_spread_of_few_is_all_and_of_many_without_the_outermost(self):
        for count, left_out in ((1, 0), (2, 0), (5, 0), (7, 0), (8, 1), (9, 1), (11, 2), (25, 7)):
            self.assertEqual(figures.spread([*range(count)]), (left_out, count - 1 - left_out), count)

    def test_what_a_figure_shows_besides_is_measured_once(self):
        whole, alone = [], []

        def again():
            alone.append(1)
            return [Claim("a is ahead", 9.5, "<=", 10.0), None]

        def measure(_run):
            whole.append(1)
            return Measured([Claim("a is ahead", 9.9, "<=", 10.0), Claim("b is", 1.0, "<=", 10.0)], again=again,
                            series={"a": [[1, 9.9]]})
        result = figures.measure(figure(measure), self.run_)
        self.assertEqual((len(whole), len(alone)), (1, 4))
        self.assertEqual([(one["left"], one["measured"]) for one in result["verdicts"]], [(9.5, 5), (1.0, 1)])

    def test_a_run_that_is_late_measures_once(self):
        self.run_ = running.Run("/nonexistent/build", budget_s=0)
        _, asked = self.measured(10.9, 9.8, 10.2)
        self.assertEqual(len(asked), 1)

    def test_a_figure_has_a_time_to_be_measured_again_and_ends(self):
        for again_s, once_s, expected in ((0, 0, False), (10, 0, True), (10, 20, False)):
            self.run_.begin_again(again_s, once_s)
            self.assertEqual(self.run_.has_time_again(), expected)
        self.run_.begin_again(0.2)  # the longest time counts
        self.assertTrue(self.run_.has_time_again())
        time.sleep(0.12)
        self.assertFalse(self.run_.has_time_again())
        self.run_.begin_again(0.2, costs.RESERVE * 0.6)  # too seldom for a middle: the run's time, while that lasts
        self.assertEqual([self.run_.has_time_again(True) for _ in range(2)], [True, False])
        self.run_.begin_again(0.2, costs.RESERVE * 0.3)
        self.assertEqual([self.run_.has_time_again(too_seldom) for too_seldom in (False, True, True)], [False, True, False])
        self.run_.begin(timeout_s=5)
        self.run_.begin_again(10, 7)
        self.assertFalse(self.run_.has_time_again())
        self.run_.begin(timeout_s=0.2)
        with self.assertRaisesRegex(NotMeasured, "more than 0.2 s"):
            self.run_.command(["sleep", "5"])
        with self.assertRaisesRegex(NotMeasured, "time that this figure may take is over"):
            self.run_.command(["echo"])

    def test_ways_run_there_and_back_and_the_shorter_counts(self):
        turns, left = [], {"a": [2, 3], "b": [5, 4], "c": [6, 6]}
        ways = {name: lambda name=name: turns.append(name) or left[name].pop(0) for name in "abc"}
        self.assertEqual(self.run_.fastest_there_and_back(ways), {"a": 2, "b": 4, "c": 6})
        self.assertEqual("".join(turns), "abccba")

    def test_of_two_measurements_the_worse_counts_and_others_claims_are_not_taken(self):
        claim = lambda left: Claim("a is ahead", left, "<=", 10.0)
        verdicts = figures.judge([Measured([claim(9.0)]), Measured([claim(12.0)])])
        self.assertEqual([one["held"] for one in verdicts], [False])
        verdicts = figures.judge([Measured([claim(30.0), claim(9.0)]), Measured([claim(9.0)])])
        self.assertEqual([(one["left"], one["held"]) for one in verdicts], [(30.0, False), (9.0, True)])

    def test_a_figure_without_claims_or_with_strange_rows_is_not_measured(self):
        def strange(_run):
            return {}["rpc.self", 8]
        for measure, word in ((lambda _run: Measured([]), "nothing of what is claimed"), (strange, "KeyError .*rpc.self")):
            result = figures.measure(figure(measure), self.run_)
            self.assertEqual(result["status"], "not measured")
            self.assertRegex(result["reason"], word)

    def test_what_is_counted_has_no_margin_and_is_not_counted_again(self):
        for left, held in ((10.0, True), (10.2, False)):
            made, asked = one_of(left)
            by_time = made.measure
            made.measure = lambda run, by_time=by_time: Measured(
                [dataclasses.replace(one, is_counted=True) for one in by_time(run).claims])
            result = figures.measure(made, self.run_)
            self.assertEqual((result["verdicts"][0]["held"], len(asked)), (held, 1))

    def test_less_is_not_the_same(self):
        for left, held in ((9.9, True), (10.0, False)):
            made = figure(lambda _run, left=left: Measured([Claim("a is less", left, "<", 10.0, is_counted=True)]))
            self.assertEqual(figures.measure(made, self.run_)["verdicts"][0]["held"], held)

    def test_ways_take_turns_and_the_shortest_counts(self):
        turns, missing = [], []

        def way(name, *times):
            left = list(times)

            def measure():
                turns.append(name)
                if left[0] is None:
                    raise NotMeasured("no such thing")
                return left.pop(0)
            return measure
        ways = {"a": way("a", 3, 1, 2), "b": way("b", 5, None), "c": way("c", 6, 7, 4)}
        self.assertEqual(self.run_.fastest_in_turn(3, ways, missing), {"a": 1, "c": 4})
        self.assertEqual("".join(turns), "abcabcac")
        self.assertEqual(missing, ["b: no such thing"])

    def test_what_is_counted_is_counted_once(self):
        made = []
        for _ in range(2):
            self.run_.forget()
            self.run_.kept("timed", lambda: made.append(self.run_.command(["echo", "a"])))
            self.run_.kept("counted", lambda: made.append(self.run_.command(["echo", "b"])), is_counted=True)
        self.assertEqual(made, ["a\n", "b\n", "a\n"])

    def test_curves_by_the_simulated_clock_are_made_once_and_say_what_they_lack(self):
        asked = []

        def of_ranks(ranks):
            asked.append(ranks)
            if ranks == 8:
                raise NotMeasured("run -n 8 ended with 1: no rank can go on")
            return ranks / 2
        for _ in range(2):
            self.run_.begin()
            self.run_.commands.append("some")
            self.run_.forget()
            missing = []
            self.assertEqual(self.run_.beyond("a", of_ranks, missing), [[4, 2.0], [16, 8.0]])
            self.assertEqual(missing, ["8 ranks by the simulated clock: ended with 1: no rank can go on"])
        self.assertEqual(asked, [4, 8, 16])

    def test_reasons_are_sentences(self):
        self.assertEqual([page.sentence(one) for one in ("a is. b", "a.", "2 of a", "")], ["A is. b.", "A.", "2 of a.", ""])
        lost = {"words": "a is ahead", "left": 3, "relation": "<=", "right": 2, "held": False, "measured": 1, "why": "c is d"}
        text = page.in_words(stored({"status": "measured", "verdicts": [lost], "missing": []}))
        self.assertIn("* A is ahead: 3 \u2264 2: not held. C is d.\n", text)
        self.assertIn("* There is no b.\n", page.in_words(stored({"status": "not measured", "reason": "there is no b"})))

    def test_both_relations_and_no_gain(self):
        self.assertEqual(Claim("", 8, ">=", 4).ratio, 0.5)
        self.assertEqual(Claim("", 8, "<=", 4).ratio, 2)
        self.assertEqual(Claim("", -3, ">=", 90).ratio, float("inf"))
        self.assertLessEqual(Claim("", 50, ">=", 0).ratio, 1)

    def test_a_program_that_is_not_there_is_named(self):
        def measure(run):
            return run.launch(2, "examples/nothing")
        result = figures.measure(figure(measure), self.run_)
        self.assertEqual(result["status"], "not measured")
        self.assertIn("bin/examples/nothing", result["reason"])

    def test_commands_that_fail_and_that_are_late(self):
        with self.assertRaisesRegex(NotMeasured, "ended with 3: so it is"):
            self.run_.command(["sh", "-c", "echo so it is >&2; exit 3"])
        with self.assertRaisesRegex(NotMeasured, "there is no nowhere"):
            self.run_.command(["nowhere"])
        with self.assertRaisesRegex(NotMeasured, "more than 0.2 s"):
            self.run_.command(["sleep", "5"], timeout_s=0.2)
        self.assertEqual(running.rows_of(self.run_.command(["sh", "-c", r"printf 'get\t8\t1.5\nget\t64'; exec sleep 30"],
                                                           timeout_s=3)), {"get": {8: 1.5}})

    def test_what_was_measured_once_is_kept_with_its_commands(self):
        made = []
        for _ in range(2):
            self.run_.begin()
            self.run_.kept("key", lambda: made.append(self.run_.command(["echo", "a"])))
            self.assertEqual(self.run_.commands, ["echo a"])
        self.assertEqual(len(made), 1)

    def test_a_launcher_that_a_library_lacks_is_no_end(self):
        with self.assertRaisesRegex(NotMeasured, "mpicc.nothing"):
            self.run_.compiled("nothing", "messages.c")


class Programs(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            return outside.read(file.name)

    def test_rows_of_a_program(self):
        rows = self.read('{"rows": [{"figure": "a.1", "x": 2, "series": "b", "value": 3, "unit": "s"}]}')
        self.assertEqual(outside.series_of(outside.of_figure(rows, "a.1")), {"b": [(2, 3.0)]})
        with self.assertRaisesRegex(NotMeasured, "no row of a.2"):
            outside.of_figure(rows, "a.2")

    def test_files_that_are_none(self):
        for text in ("", "[]", '{"rows": [{"x": 1}]}', '{"rows": [{"figure": "a", "x": 1, "series": "b", "value": "c"}]}'):
            with self.assertRaisesRegex(NotMeasured, "no rows in"):
                self.read(text)
        with self.assertRaisesRegex(NotMeasured, "no rows in"):
            outside.read("/nonexistent/rows.json")


class Costs(unittest.TestCase):
    def test_each_figure_has_one_and_all_end_in_time_with_what_is_measured_again(self):
        names = {one.name for one in papers.all_figures()}
        self.assertEqual(set(costs.SECONDS), names)
        self.assertLess(set(costs.AGAIN), names)
        self.assertLessEqual(sum(costs.SECONDS.values()) + sum(costs.AGAIN.values()), papers.REPEATING_S)
        self.assertLess(papers.REPEATING_S, papers.WHOLE_S)
        self.assertLess(papers.WHOLE_S, 20 * 60)


class Pages(unittest.TestCase):
    def test_every_table_and_figure_is_there(self):
        names = {one.name for one in papers.all_figures()}
        self.assertEqual(names, {f"{paper}.{number}" for paper, numbers in EXPECTED.items() for number in numbers})
        for one in papers.all_figures():
            self.assertTrue(one.title and one.claim.endswith(".") and one.changed.endswith(".") and one.printed, one.name)

    def test_programs_that_are_measured_are_there(self):
        text = "".join(file.read_text() for file in (SOURCE / "papers").glob("*.py"))
        named = set(re.findall(r'"(examples/\w+|papers/\w+)"', text)) - {"papers/transfers_virtual", "papers/armci_lu_virtual"}
        self.assertIn("examples/scc", named)
        for name in named:
            self.assertTrue(any((SOURCE / f"{name}{end}").exists() for end in ("", ".c", ".cpp")), name)

    def test_the_table_of_components_is_read(self):
        printed = ("time          Tarjan's algorithm on one rank 9.4 ms; on 2 ranks, the best of 1:\n"
                   "  aggregation   rounds        calls        ms        calls/s\n"
                   "           75       33  114,437,783    500.00    228,875,566\n"
                   "     adaptive       33  114,437,783    250.00    457,751,132\n")
        self.assertEqual(armi_rmi.searches(printed), {"75": (0.5, 33, 114437783), "adaptive": (0.25, 33, 114437783)})

    def test_claims_over_libfabric_are_on_its_own_put_and_get(self):
        size = armci_rma.LONG
        records, own, native = 2e6, 1e6, 0.9e6  # ns

        class Made(running.Run):
            def transfers(self, part, engine):
                return {f"{operation}.window": {size: own if engine == running.ONE_SIDED else records} for operation in ("put", "get")}

            def windows(self, engine):
                return {f"{operation}.window": {size: native} for operation in ("put", "get")}

            def messages(self, part, over_tcp=False):
                raise NotMeasured("there is none")

        figure_15 = next(one for one in armci_rma.FIGURES if one.number == "15")
        measured = figure_15.measure(Made("/nonexistent/build"))
        self.assertEqual([claim.left for claim in measured.claims], [size / own * 1e3] * 2)
        self.assertEqual({name: rows[0][1] for name, rows in measured.series.items()},
                         {"put": size / own * 1e3, "get": size / own * 1e3, "put, by records": size / records * 1e3,
                          "get, by records": size / records * 1e3, "libfabric, put": size / native * 1e3,
                          "libfabric, get": size / native * 1e3})

    def test_plots_are_pictures(self):
        for series in ({"a": [[1, 1.0]]}, {"a": [[8, 0.5], [1 << 20, 3e7]], "<b>": [[8, 1.0]]}, {"a": [[0, 0.0]]},
                       {str(i): [[1, 5.0], [2, 5.0]] for i in range(20)}):
            for log in ("", "x", "y", "xy"):
                xml.etree.ElementTree.fromstring(plot.plot(series, "bytes & more", "MB/s", log))

    def test_numbers_of_ranks_stand_at_the_axis(self):
        self.assertEqual(plot.Axis([1, 2, 2, 16], False, 100, may_be_few=True).ticks, [1, 2, 16])
        self.assertNotEqual(plot.Axis([8, 4096], True, 100, may_be_few=True).ticks, [8, 4096])

    def test_points_lie_where_axes_say(self):
        axis = plot.Axis([1, 100], True, 200)
        self.assertEqual([axis.place(one) for one in (1, 10, 100)], [0, 100, 200])
        axis = plot.Axis([0, 8], False, 100)
        self.assertEqual(axis.place(axis.ticks[0]), 0)
        self.assertEqual(axis.place(axis.ticks[-1]), 100)

    def test_page_and_words_say_each_verdict(self):
        held = [{"words": "a is ahead", "left": 1234.5, "relation": "<=", "right": 2000, "ratio": .6, "held": True, "measured": 1}]
        lost = [held[0] | {"held": False, "measured": 3, "why": "c is < d now"}]
        for result, word in ((dict(verdicts=held), "held"), (dict(verdicts=held + lost), "not held")):
            results = stored({"status": "measured", "x": "x", "y": "y", "series": {"a": [[1, 2]]}, "missing": ["c: no c"],
                              "table": [["what", "ns"], ["a<b", 1.5]], "log": "xy"} | result)
            for text in (page.page(results), page.in_words(results)):
                self.assertIn("1,23", text)
                self.assertIn("c: no c", text)
                self.assertEqual("d now" in text, word == "not held")
            self.assertIn(f"{page.marked(word)}</h3>", page.page(results))
            self.assertIn("a &lt;title&gt;", page.page(results))
            self.assertIn("<code>./dev papers --only armci-1999.4</code>", page.page(results))
            self.assertIn("<pre>run a</pre>", page.page(results))
            self.assertIn(f"**{word.capitalize()}**", page.in_words(results))
            self.assertLess(max(map(len, page.in_words(results).splitlines())), 121)
        results = stored({"status": "not measured", "reason": "there is no b"})
        self.assertIn("Not measured: there is no b", page.page(results))
        self.assertIn("**Not measured**", page.in_words(results))
        self.assertIn("1 not measured", page.in_words(results))

    def test_stored_results_are_short_numbers(self):
        text = json.dumps(papers.rounded({"a": [(1.23456789, 2)], "b": "c"}))
        self.assertEqual(text, '{"a": [[1.235, 2]], "b": "c"}')

    def test_a_report_keeps_what_was_measured_of_others(self):
        old = stored({"status": "not measured", "reason": "old"})
        new = stored({"status": "not measured", "reason": "new"})
        other = {"figures": [old["figures"][0] | {"name": "armci-1999.5"}, old["figures"][0]]}
        both = papers.merged(new, other)["figures"]
        self.assertEqual([(one["name"], one["reason"]) for one in both], [("armci-1999.4", "new"), ("armci-1999.5", "old")])
        whole = papers.complete(new)["figures"]
        self.assertEqual(len(whole), len(papers.all_figures()))
        self.assertEqual({one["reason"] for one in whole}, {"new", "no run of this report has measured it"})
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            papers.write(new, folder)
            self.assertEqual(papers.stored(folder / "results.json"), new)
            self.assertEqual(papers.stored(folder / "index.html"), {})
            self.assertEqual(papers.stored(folder / "nothing"), {})

    def test_a_wrong_name_is_refused_with_those_that_are_there(self):
        done = subprocess.run([sys.executable, "-B", SOURCE / "papers/papers.py", "/nonexistent", "--only", "armci-1999.5",
                               "armci-1999.55"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no figure 'armci-1999.55'", done.stderr)
        self.assertIn("armci-rma-2006.18", done.stderr)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
