"""run.py's case of a job that gets other processes while it runs."""

import re
import signal
import subprocess

from cluster import Failed, await_condition, signal_each, takes


def resized(shape, launcher):
    """More processes and fewer, and without a node that is to be left: its processes are asked to end."""
    armature, program = shape.program("../armature"), shape.program("../virtual_steps")
    steps = [program, "600", "when_due", "5000"]
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        options = ["-n", "7", "--virtual", "--no-globals-note"]
        status, output = cluster.run([armature, "run", *options, *steps[:-1], "0"])
        expected = re.findall(r"^result \w+$", output, re.M)
        start = [armature, "run", "--hosts", ",".join(cluster.names), *options, "--processes", str(shape.processes), "--checkpoint",
                 str(cluster.folder / "saved")]
        job = cluster.begin([*start, *steps], **cluster.environment(launcher))

        def on(name):
            return cluster.processes_on(name, "virtual_steps")
        for count in shape.processes + 1, shape.nodes:
            await_condition("the job", lambda: sum(len(on(name)) for name in cluster.names) > 0)
            done = subprocess.run([armature, "resize", str(job.pid), "--processes", str(count)], capture_output=True, text=True, check=False)
            print(done.stdout, done.stderr)
            if done.returncode != 0 or sum(len(on(name)) for name in cluster.names) != count:
                raise Failed(f"{count} processes: {done.stderr}")
        left = cluster.names[-1]
        signal_each(await_condition("handlers", lambda: [pid for pid in on(left) if takes(pid, signal.SIGTERM)]), signal.SIGTERM)
        await_condition("the node to be left", lambda: not on(left) and on(cluster.names[0]))
        status, output = cluster.finish(job, 200)
        if status != 0 or re.findall(r"^result \w+$", output, re.M) != expected:
            raise Failed(f"exit status {status}")
        if output.count("the job goes on in") != 3 or f"goes on in {shape.nodes - 1} processes" not in output:
            raise Failed("it was not started anew three times")


def resized_from_inside(shape, launcher):
    """A rank asks for it; what ranks have computed counts. Where nobody would start the job anew, that is said."""
    armature = shape.program("../armature")
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        for what, expected, times in ("inside_nodes", "all is well", 4), ("measured", "", 2):
            status, output = cluster.run(
                [armature, "run", "--hosts", ",".join(cluster.names), "-n", "7", "--virtual", "--processes", str(shape.processes), "--checkpoint",
                 str(cluster.folder / what), shape.program("../virtual_resizing"), what], **cluster.environment(launcher))
            if status != 0 or expected not in output or output.count("the job goes on in") != times:
                raise Failed(f"{what}: exit status {status}")
        steps = [shape.program("../virtual_steps"), "100000", "when_due", "1000"]
        job = cluster.begin(cluster.command(launcher, shape.per_node, steps), **cluster.environment(launcher), ARMATURE_VIRTUAL="7")
        process = await_condition("the job", lambda: cluster.processes_on(cluster.names[0], "virtual_steps"))[0]
        done = subprocess.run([armature, "resize", str(process), "--processes", "2"], capture_output=True, text=True, check=False)
        if done.returncode != 1 or "another launcher than armature run has started the job" not in done.stderr:
            raise Failed(f"{done.returncode}: {done.stdout}{done.stderr}")
        cluster.kill_all()
        job.communicate()
