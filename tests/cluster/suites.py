"""run.py's cases that are tests of their own elsewhere."""

import os
import pathlib
import re

from cluster import Failed, skip

# What tests elsewhere run on one node or on pretended ones: its words, and what it says when all is well.
SUITES = {
    "conformance": (["../conformance"], "  PASSED  "),
    # Those of its tests that together take less than a minute where each message is late.
    "conformance_part": (["../conformance", "--gtest_filter=Put*:Locality*:Collectives*:Team*:RmiFence*:Notify*"], "  PASSED  "),
    "conformance_c": (["../conformance_c"], ", 0 failed"),
    "property": (["../property", "--cases", "2000", "--seconds", "15"], "agree with the model"),
    "storm": (["../rmi_storm", "storm"], ""),
    "changing_nodes": (["../virtual_changing_nodes", "work", "20"], "20 rounds: well"),
    "flood": (["../rmi_storm", "flood"], ""),
    "forward": (["../rmi_storm", "forward"], ""),
    "circle": (["../rmi_storm", "circle"], ""),
    "shmem": (["../conformance_shmem"], ""),
    "shmem_programs": (["../programs_shmem"], "all programs are right"),
    "ga": (["../clients/ga_{mpi}"], "everything is right"),
    "arrays": (["../clients/arrays_{mpi}"], "everything is right"),
    "armci_mpi": (["../clients/armci_mpi_{mpi}"], "everything is right"),
}


def suite(name):
    words, well = SUITES[name]

    def case(shape, launcher):
        program = shape.program(words[0].format(mpi=launcher))
        if not os.access(program, os.X_OK):
            skip(f"{program} was not built")
        uses_mpi = "{mpi}" in words[0]
        with shape.cluster() as cluster:
            try:
                status, output = cluster.start(launcher, shape.per_node, [program, *words[1:]], seconds=40 if uses_mpi else 380)
            except Failed as failure:
                if not (uses_mpi and launcher == "mpich" and well in str(failure)):
                    raise
                # With MPICH 4.0 one in six programs that do nothing but MPI hangs there between nodes: one process
                # closes its connections while the others wait for it without answering.
                print(f"{failure}\nAll was right; then it hung in MPI_Finalize, which is MPICH's.")
                return
        if status != 0 or well not in output:
            raise Failed(f"exit status {status}")
    return case


PACKAGES = pathlib.Path(__file__).parents[1] / "examples" / "data" / "small.Packages"
# Programs that compute something, and which of their lines are the result. Most check it themselves, too.
KERNELS = {
    "pagerank": (["--source", PACKAGES, "--svg", "{folder}/pagerank.svg"], r"^ +\d+\. +\S+ +[\d.]+ +\d+$|^iterations +\d+"),
    "scc": (["--source", PACKAGES, "--repeat", "1", "--svg", "{folder}/scc.svg"],
            r"^(?:components|circles) .*|^the largest .*|^agreement     every search .*"),
    "lu": (["--no-threads", "--n", "384"], r"^RESIDUAL OK"),
    "mg": (["--class", "S"], r"L2 norm \d\.\d{12}|^VERIFIED"),
    "jacobi": (["--n", "63", "--steps", "100", "--by", "puts"], r"last change \S+|: correct$"),
    "jacobi, by calls": (["--n", "63", "--steps", "100", "--by", "calls"], r"last change \S+|: correct$"),
    "sample_sort": (["--n", "20000"], r"^(?:messages|remote calls|calls of blocks|algorithm) .*sorted$"),
}


def kernels(shape, launcher):
    """Their results are those of one node."""
    with shape.cluster() as cluster:
        def result_of(name, words, lines, start):
            program = shape.program(f"../examples/{name.partition(',')[0]}")
            if not os.access(program, os.X_OK):
                skip(f"{program} was not built")
            status, output = start([program, *(str(word).format(folder=cluster.folder) for word in words)])
            # sample_sort's lines begin alike, with times in between.
            found = [re.sub(r" [\d.]+ s .* (?=sorted)", " ", line) for line in re.findall(lines, output, re.M)]
            if status != 0 or not found:
                raise Failed(f"{name}: exit status {status}, result {found}")
            return found

        def on_one_node(words):
            return cluster.run([shape.program("../armature"), "run", "-n", str(shape.processes), *words])

        def on_all(words):
            return cluster.start(launcher, shape.per_node, words)
        for name, (words, lines) in KERNELS.items():
            expected = result_of(name, words, lines, on_one_node)
            if (result := result_of(name, words, lines, on_all)) != expected:
                raise Failed(f"{name}: {result}\nnot {expected}")
