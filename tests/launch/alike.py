"""Ranks that fail alike: one report, and how many others there were."""

import pathlib

import harness
from harness import expect, run

OTHERS = r"armature: \d+ other ranks? ended with the same"


def test_bad_input_of_all_ranks_is_reported_once():
    for kind in ([], ["--nodes", 2], ["--threads", 3], ["--virtual", "--no-globals-note", "--processes", 2]):
        text = run(["misuse_all"], 134, r"create_mutexes: a member asked for a negative number", OTHERS,
                   options=["-n", 6, *kind])
        expect(text.count("died of an uncaught") == 1, text)


def test_bad_input_of_the_ranks_of_one_process_is_reported_once():
    for kind in (["--threads", 4], ["--virtual", "--no-globals-note", "--processes", 1]):
        text = run(["misuse_all"], 134, r"create_mutexes: a member asked", options=["-n", 4, *kind])
        expect(text.count("died of an uncaught") == 1, text)


def test_crashes_of_all_ranks_are_reported_once_with_verbose_all_are():
    text = run(["misuse_all"], 134, options=["-n", 3, "--verbose"])
    expect(text.count("died of an uncaught") >= 2 and "ended with the same" not in text, text)


def test_bad_input_through_libarmci_is_reported_once_with_the_programs_functions():
    path = str(pathlib.Path(harness.PROGRAM).with_name("launch_bad_selection"))
    text = run([], 3, r"no such operation on this type: median", OTHERS, r"#\d+ +pick at ", r"#\d+ +main at ",
               options=["-n", 4], program=path)
    expect(text.count("ended the job") == 1 and "insisted" not in text, text)
