"""abi.py SOURCE: builds what check/abi.py reads, and compares it with the stored descriptions. Then it shows that a
function that is missing, and a type that has another size, would be found."""

import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()


def check(stored, status, *patterns):
    done = subprocess.run([sys.executable, "-B", SOURCE / "check/abi.py", "--libraries", SOURCE / "build-abi/lib",
                           "--stored", stored], capture_output=True, text=True)
    text = done.stdout + done.stderr
    if done.returncode == 77:
        print(text)
        sys.exit(77)
    if done.returncode != status or not all(re.search(pattern, text) for pattern in patterns):
        sys.exit(f"FAILED, status {done.returncode}, not {status} with {patterns}:\n{text[:4000]}")


def changed(folder, library, pattern, replacement):
    """Copies of the descriptions, of which one is another."""
    shutil.copytree(SOURCE / "check/abi", folder)
    file = folder / f"{library}.abi.xz"
    text, count = re.subn(pattern, replacement, lzma.decompress(file.read_bytes()).decode(), count=1)
    if count != 1:
        sys.exit(f"FAILED: the description of {library} has nothing like {pattern}")
    file.write_bytes(lzma.compress(text.encode()))
    return folder


def main():
    subprocess.run([SOURCE / "dev", "abi", "--build"], check=True, stdout=subprocess.DEVNULL)
    check(SOURCE / "check/abi", 0, "abi: 4 libraries")
    with tempfile.TemporaryDirectory() as folder:
        # As if the recorded library had had one function more.
        more = changed(pathlib.Path(folder, "more"), "libarmci.so", r"( *<elf-symbol name=')ARMCI_Init('.*\n)",
                       r"\1ARMCI_Begin\2\1ARMCI_Init\2")
        check(more, 1, "libarmci.so", "ARMCI_Begin")
        # And a type of another size.
        other = changed(pathlib.Path(folder, "other"), "libarmature.so",
                        r"(<class-decl name='World' size-in-bits=')(\d+)'", r"\g<1>8\2'")
        check(other, 1, "libarmature.so", "World")
    print("passed")


if __name__ == "__main__":
    main()
