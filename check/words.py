"""Words that do not belong in the repository (check/words.toml) are not in it."""

import re
import tomllib

import house

LAW = "check/words.toml"


def main():
    root = house.arguments(__doc__).parse_args().root
    words = tomllib.loads((root / LAW).read_text())["words"]
    law = [(re.compile(pattern), why) for pattern, why in words.items()]
    problems = []
    names = [n for n in house.tracked(root, None) if n != LAW]
    for name in names:
        data = (root / name).read_bytes()
        if b"\0" in data[:4096]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            problems += [f"{name}:{number}: '{found[0]}': {why}"
                         for pattern, why in law if (found := pattern.search(line))]
    house.finish("words", problems, f"{len(names)} files")


if __name__ == "__main__":
    main()
