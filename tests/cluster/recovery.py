"""run.py's cases of checkpoints, and of jobs that go on from them."""

import re
import signal

from cluster import Failed, await_condition, await_handlers, signal_each


def asked_for(shape, launcher):
    """A program that asks in each step writes a checkpoint every so often, and one for each signal that the launcher is sent; or its processes
    themselves, where the launcher dies of it."""
    armature, program = shape.program("../armature"), shape.program("../virtual_steps")
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        latest = cluster.folder / "saved" / "latest"
        start = [armature, "run", "--hosts", ",".join(cluster.names), "-n", "7", "--virtual", "--processes", str(shape.processes),
                 "--checkpoint", str(latest.parent)]
        status, output = cluster.run([*start, "--checkpoint-every", "0.1", "--rebalance-every", "1h", program, "100", "when_due", "3000"],
                                     **cluster.environment(launcher))
        before = int(latest.read_text())
        if status != 0 or before < 3:
            raise Failed(f"exit status {status}, {before} checkpoints")
        if output.count("when_due") != 1 or "ranks have stayed where they were" not in output:
            raise Failed("it is not said once that nobody asks whether ranks are to be rebalanced")
        job = cluster.begin([*start, program, "300", "when_due", "3000"], **cluster.environment(launcher))
        ready = await_handlers(cluster, "virtual_steps", signal.SIGUSR2, shape.processes)
        for number in range(before + 1, before + 4):
            signal_each([job.pid] if launcher == "openmpi" else ready, signal.SIGUSR2)
            await_condition(f"checkpoint {number}", lambda: int(latest.read_text()) >= number)
        status, output = cluster.finish(job, 60)
        if status != 0 or "result" not in output or int(latest.read_text()) != before + 3:
            raise Failed(f"exit status {status}, {latest.read_text()} is the last checkpoint, not {before + 3}")


def restarted(shape, launcher):
    """A checkpoint goes on under that launcher, on as many nodes and on fewer."""
    armature, program = shape.program("../armature"), shape.program("../virtual_changing_nodes")
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        saved = str(cluster.folder / "saved")
        options = ["-n", "7", "--virtual", "--processes", str(shape.processes)]
        for words, names, well in ((["run", *options], cluster.names, "saved: well"), (["restart", saved], cluster.names, "restarted: well"),
                                   (["restart", saved, "--processes", "3"], cluster.names[:-1], "restarted: well")):
            program_words = [program, "save", saved] if words[0] == "run" else []
            status, output = cluster.run([armature, *words, "--verbose", "--hosts", ",".join(names), *program_words], **cluster.environment(launcher))
            if status != 0 or well not in output:
                raise Failed(f"{words[0]}: exit status {status}")


def recovers(shape, launcher):
    """Of a process that is killed, and of a node that is lost: the job goes on from its last checkpoint, on the nodes that are left."""
    armature, program = shape.program("../armature"), shape.program("../virtual_steps")
    steps = [program, "400", "when_due", "5000"]
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        latest = cluster.folder / "saved" / "latest"
        options = ["-n", "7", "--virtual", "--no-globals-note"]
        status, output = cluster.run([armature, "run", *options, *steps])
        if status != 0:
            raise Failed(f"exit status {status}")
        expected = re.findall(r"^result \w+$", output, re.M)
        start = [armature, "run", "--hosts", ",".join(cluster.names), *options, "--processes", str(shape.processes), "--checkpoint",
                 str(latest.parent), "--checkpoint-every", "0.1", "--on-death", "recover"]
        status, output = cluster.run([*start, shape.program("../launch_program"), "return", "2", "7"], **cluster.environment(launcher))
        if status != 7 or "the job cannot go on" in output:
            raise Failed(f"it ends by itself with {status}")
        job = cluster.begin([*start, *steps], **cluster.environment(launcher))

        def await_next():
            before = latest.read_text() if latest.exists() else ""
            await_condition("a checkpoint", lambda: latest.exists() and latest.read_text() != before, 60)
        await_next()
        signal_each(cluster.processes_on(cluster.names[1], "virtual_steps")[:1])
        await_next()
        cluster.lose(cluster.names[-1])
        status, output = cluster.finish(job, 200)
        if status != 0 or re.findall(r"^result \w+$", output, re.M) != expected:
            raise Failed(f"exit status {status}")
        if output.count("all ranks go back to checkpoint") < 2 or f"{cluster.names[-1]} does not answer: the job goes on without it" not in output:
            raise Failed("it has not recovered twice")
