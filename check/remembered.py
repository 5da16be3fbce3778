"""What a check has found to be well, so that it looks at the same text once.

build/check-NAME.json has digests of the files in which there was nothing to say. A digest is of all that the answer
depends on: the file with its name, and the law, which are the texts of the check and of what it goes by. These are
check/NAME.py, this file and house.py, and what the check adds. Where there is no folder build/, nothing is remembered.
"""

import hashlib
import json
import os
import pathlib


class Remembered:
    def __init__(self, root, check, law):
        """`law`: bytes of all that the answer depends on but for the file and the check's own text."""
        here = pathlib.Path(__file__).parent
        own = [(here / name).read_bytes() for name in (f"{check}.py", "remembered.py", "house.py")]
        self.path = root / "build" / f"check-{check}.json"
        self.law = hashlib.blake2b(b"\0".join([*own, law]), digest_size=16).digest()
        self.well = set()
        try:
            self.known = set(json.loads(self.path.read_text()))
        except (OSError, ValueError):
            self.known = set()

    def digest(self, name, data):
        return hashlib.blake2b(self.law + name.encode() + b"\0" + data, digest_size=16).hexdigest()

    def knows(self, name, data):
        """Whether there was nothing to say of this text; it is remembered on."""
        digest = self.digest(name, data)
        if digest in self.known:
            self.well.add(digest)
        return digest in self.known

    def is_well(self, name, data):
        self.well.add(self.digest(name, data))

    def write(self):
        """Forgets what was not asked for: texts that are there no more."""
        if self.well != self.known and self.path.parent.is_dir():
            new = self.path.with_suffix(f".{os.getpid()}")  # another run may read it at the same time
            new.write_text(json.dumps(sorted(self.well)))
            new.replace(self.path)
