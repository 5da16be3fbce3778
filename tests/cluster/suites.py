"""run.py's cases that are tests of their own elsewhere."""

import os

from cluster import Failed, skip

# What tests elsewhere run on one node or on pretended ones: its words, and what it says when all is well.
SUITES = {
    "conformance": (["../conformance"], "  PASSED  "),
    "conformance_c": (["../conformance_c"], ", 0 failed"),
    "property": (["../property", "--cases", "2000", "--seconds", "15"], "agree with the model"),
    "storm": (["../rmi_storm", "storm"], ""),
    "changing_nodes": (["../virtual_changing_nodes", "work", "20"], "20 rounds: well"),
    "flood": (["../rmi_storm", "flood"], ""),
    "forward": (["../rmi_storm", "forward"], ""),
    "circle": (["../rmi_storm", "circle"], ""),
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
