"""Files of NumPy's format that ranks write, read with Python alone, and the other way round.

    npy.py ARMATURE PROGRAM [RUN_ARGS...]
"""

import ast
import itertools
import os
import struct
import subprocess
import sys
import tempfile

ARMATURE, PROGRAM, *RUN = sys.argv[1:]
LETTERS = {"<f8": "d", "<i4": "i", "|b1": "?"}


def expect(good, message):
    if not good:
        sys.exit(f"npy.py: {message}")


def perform(*words):
    done = subprocess.run([ARMATURE, "run", "--timeout", "30", *RUN, PROGRAM, *words],
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    expect(done.returncode == 0, f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def read(path):
    """Returns the header and the elements by their indices."""
    with open(path, "rb") as file:
        data = file.read()
    expect(data[:8] == b"\x93NUMPY\x01\x00", f"{path}: version {data[:8]}")
    length, = struct.unpack("<H", data[8:10])
    expect((10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n", f"{path}: its header does not end at 64 bytes")
    header = ast.literal_eval(data[10:10 + length].decode("latin1"))
    shape = header["shape"]
    count = 1
    for n in shape:
        count *= n
    flat = struct.unpack(f"<{count}{LETTERS[header['descr']]}", data[10 + length:])
    indices = itertools.product(*map(range, shape))
    if header["fortran_order"]:
        indices = (at[::-1] for at in itertools.product(*map(range, shape[::-1])))
    return header, dict(zip(indices, flat))


def write(path, version, fortran_order, shape, element):
    header = repr({"descr": "<f8", "fortran_order": fortran_order, "shape": shape}).encode() + b" " * 11 + b"\n"
    indices = itertools.product(*map(range, shape))
    if fortran_order:
        indices = (at[::-1] for at in itertools.product(*map(range, shape[::-1])))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header)
        file.write(b"".join(struct.pack("<d", element(at)) for at in indices))


def written_is_read(folder):
    perform("write", folder)
    expected = {
        "rows": ("<f8", False, (7, 5), lambda at: 10 * at[0] + at[1] + 0.5),
        "columns": ("<i4", True, (3, 4, 5), lambda at: 100 * at[0] + 10 * at[1] + at[2]),
        "flags": ("|b1", False, (9,), lambda at: at[0] % 3 == 0),
    }
    for name, (descr, fortran_order, shape, element) in expected.items():
        path = os.path.join(folder, name + ".npy")
        header, elements = read(path)
        expect(header == {"descr": descr, "fortran_order": fortran_order, "shape": shape}, f"{name}: {header}")
        expect(elements == {at: element(at) for at in itertools.product(*map(range, shape))}, f"{name}: {elements}")
        try:
            import numpy
        except ImportError:
            continue  # not everywhere; the format is what it reads
        array = numpy.load(path)
        expect(array.shape == shape and all(array[at] == x for at, x in elements.items()), f"{name}: NumPy sees others")


def read_is_written(folder):
    path = os.path.join(folder, "given.npy")
    for version, fortran_order in itertools.product((1, 2), (False, True)):
        write(path, version, fortran_order, (6, 11), lambda at: 100 * at[0] + at[1])
        seen = [float(line) for line in perform("read", path).split()]
        expect(seen == [100 * i + j for i in range(6) for j in range(11)], f"version {version}, {fortran_order}: {seen}")


with tempfile.TemporaryDirectory() as folder:
    written_is_read(folder)
    read_is_written(folder)
print("arrays are in files as they should be")
