"""What docs/site/examples.toml says that examples print is what they print.

    examples.py ROOT BUILD [--record]
"""

import pathlib
import re
import subprocess
import sys
import tomllib

ROOT, BUILD = map(pathlib.Path, sys.argv[1:3])
STORED = ROOT / "docs/site/examples.toml"


def output_of(example):
    """None where it is not built. Each is started by `armature run`, whatever the launcher of its interface is called."""
    option, ranks, program, *words = re.sub("^(armature run|oshrun) ", "", example["command"]).split()
    program = BUILD / "bin/examples" / program
    if not program.exists():
        return None
    done = subprocess.run([BUILD / "bin/armature", "run", "--timeout", "60", option, ranks, program, *words],
                          capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{example['command']}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def shape(text):
    """Numbers of whatever length are the same."""
    return re.sub(r" +", " ", re.sub(r"-?\d+(\.\d+)?(e[-+]\d+)?", "#", text))


def record(examples):
    head = STORED.read_text().split("\n[", 1)[0]
    parts = []
    for name, example in examples.items():
        said = output_of(example) or example["output"]
        lines = [f"[{name}]", f'source = "{example["source"]}"', f'command = "{example["command"]}"']
        lines += [f"output = '''\n{said}'''"] + (["varies = true"] if example.get("varies") else [])
        parts.append("\n".join(lines) + "\n")
    STORED.write_text(head + "\n" + "\n".join(parts))


def main():
    examples = tomllib.loads(STORED.read_text())
    if "--record" in sys.argv:
        return record(examples)
    ran = 0
    for name, example in examples.items():
        said = output_of(example)
        if said is None:
            continue
        ran += 1
        same = shape if example.get("varies") else str
        if same(said) != same(example["output"]):
            sys.exit(f"{name} prints\n{said}\nand not, as docs/site/examples.toml has it,\n{example['output']}")
    if ran < len(examples) // 2:
        sys.exit(f"only {ran} of {len(examples)} examples are built")
    print(f"{ran} examples print what is stored")


main()
