"""What is made of the command's help: manual pages, and completion in bash and zsh. Names of commands and options are
read from the text of --help, and so by another way than the pages are made."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import harness
from harness import expect


def output(*words):
    done = subprocess.run([harness.ARMATURE, *words], capture_output=True, text=True)
    expect(done.returncode == 0, f"armature {words}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def commands(*above):
    """Names of the commands below a command."""
    listed = output(*above, "--help").partition("Subcommands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.M)


def options(*command):
    text = output(*command, "--help").partition("Options:\n")[2].partition("Subcommands:")[0]
    return [name for names in re.findall(r"^  (-\S+)", text, re.M) for name in names.split(",")]


def every_command():
    """All commands and those below them, as tuples of words, with those that the command itself has."""
    for one in commands():
        yield (one,)
        for below in commands(one):
            yield (one, below)


def test_help_counts_its_commands():
    found = list(every_command())
    expect(("run",) in found and ("bench", "rma") in found and ("completion",) in found, found)
    expect("--ranks" in options("run") and "-n" in options("run"), options("run"))


def test_help_becomes_man_pages():
    with tempfile.TemporaryDirectory() as folder:
        output("help", "--man-pages", folder)
        pages = sorted(os.listdir(folder))
        expect(pages == sorted(["armature.1", *(f"armature-{one}.1" for one in commands())]), pages)
        for words in every_command():
            page = (pathlib.Path(folder) / f"armature-{words[0]}.1").read_text().replace("\\-", "-")
            if len(words) > 1:
                heading = f".SH COMMAND {words[1].upper()}\n"
                expect(heading in page, f"{words} has no section")
                page = page.partition(heading)[2].partition("\n.SH ")[0]
            for option in options(*words):
                expect(f"\\fB{option}\\fR" in page, f"the page of {words} does not have {option}")
        whole = (pathlib.Path(folder) / "armature.1").read_text()
        for one in commands():
            expect(f"\\fB{one}\\fR" in whole, f"armature.1 does not have {one}")
        for page in pages:
            done = subprocess.run(["groff", "-ww", "-man", "-Tascii", "-rLL=100n", pathlib.Path(folder) / page],
                                  capture_output=True, text=True, env={**os.environ, "GROFF_NO_SGR": "1"})
            expect(done.returncode == 0 and not done.stderr, f"{page}: {done.stderr}")
            shown = re.sub(".\x08", "", done.stdout)
            expect("NAME" in shown and "SYNOPSIS" in shown, f"{page} is shown as:\n{shown}")
            if page == "armature-run.1":
                expect("armature run -n 4 ./prog input.dat" in shown and "-n, --ranks N" in shown, shown)


def test_help_says_where_pages_cannot_be_written():
    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run([harness.ARMATURE, "help", "--man-pages", file.name], capture_output=True, text=True)
    expect(done.returncode == 1 and file.name in done.stderr, done.stderr)


def completed_by_bash(script, line, folder):
    """What bash offers at the end of a line."""
    words = re.findall(r"=|[^\s=]+", line)
    if line.endswith(" "):
        words.append("")
    shell = f"""
        source {shlex.quote(script)}
        cd {shlex.quote(folder)}
        COMP_WORDS=({' '.join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1}
        _armature
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """
    done = subprocess.run(["bash", "--norc", "-u", "-c", shell], capture_output=True, text=True)
    expect(done.returncode == 0, f"{line}: {done.stderr}")
    errors = [said for said in done.stderr.splitlines() if "compopt" not in said]
    expect(not errors, f"{line}: {errors}")
    return set(done.stdout.split())


def test_help_becomes_bash_completion():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/saved")
        pathlib.Path(f"{folder}/prog").touch()
        script = f"{folder}/completion"
        pathlib.Path(script).write_text(output("completion", "bash"))

        def offers(line):
            return completed_by_bash(script, line, folder)

        expect(offers("armature ") == set(commands()), offers("armature "))
        for words in every_command():
            offered = offers(f"armature {' '.join(words)} -")
            expect(offered == set(options(*words)), f"{words}: {offered}")
        for line, answer in {
                "armature ru": {"run"},
                "armature bench ": set(commands("bench")),
                "armature help re": {"restart", "resize"},
                "armature help run ": set(),
                "armature completion ": {"bash", "zsh"},
                "armature run --bind ": {"auto", "core", "none"},
                "armature run --bind=": {"auto", "core", "none"},
                "armature run --bind=co": {"core"},
                "armature run --rebalance-by re": {"refine"},
                "armature run -n 4 --sta": {"--stall", "--stack-size"},
                "armature run -n ": set(),
                "armature run -n=4 p": {"prog"},
                "armature run -n 4 p": {"prog"},
                "armature run -n 4 -- p": {"prog"},
                "armature run --trace p": {"prog"},
                "armature run --checkpoint ": {"saved"},
                "armature restart ": {"saved"},
                "armature run -n 4 ./prog --bin": set(),
                "armature run -n 4 ./prog sa": {"saved"}}.items():
            expect(offers(line) == answer, f"{line}: {offers(line)}")


def completed_by_zsh(folder, line):
    """What zsh lists at the end of a line, in a terminal of its own."""
    shell = r"""
        zmodload zsh/zpty
        comptest() {
          export TERM=dumb
          PROMPT='>' LISTMAX=10000; stty rows 1000 columns 200
          fpath=($1 $fpath)
          autoload -Uz compinit && compinit -u -D
          zstyle ':completion:*' list-colors 'no='
          zstyle ':completion:*' group-name ''
          setopt list_rows_first no_beep no_auto_menu
          list-it() { compstate[list]='list force'; compstate[insert]=; _main_complete; print -r -- "<<" $compstate[nmatches] ">>" }
          zle -C list-it list-choices list-it
          bindkey '^I' list-it
          say-end() { print -r -- "THE END" }
          zle -N say-end
          bindkey '^X' say-end
          cd $1
        }
        zpty it zsh -f -i
        zpty -w it "$(functions comptest); comptest $1; print ready"
        zpty -r it said '*ready*ready*'
        zpty -w -n it "$2"$'\t'
        zpty -w -n it $'\x18'
        zpty -r it said '*THE END*'
        print -r -- $said
        zpty -d it
        """
    done = subprocess.run(["zsh", "-f", "-c", shell, "zsh", folder, line], capture_output=True, text=True,
                          timeout=50)
    expect(done.returncode == 0, f"{line}: {done.stderr}")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.stdout).replace("\r", "")


def test_help_becomes_zsh_completion():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(f"{folder}/_armature").write_text(output("completion", "zsh"))
        done = subprocess.run(["zsh", "-f", "-n", f"{folder}/_armature"], capture_output=True, text=True)
        expect(done.returncode == 0 and not done.stderr, done.stderr)
        expect(shutil.which("zsh"), "zsh is not installed (packages.txt)")
        for line, answers in {
                "armature ": commands(),
                "armature bench ": commands("bench"),
                "armature run --": [option for option in options("run") if option.startswith("--")],
                "armature run --bind=": ["auto", "core", "none"]}.items():
            said = completed_by_zsh(folder, line)
            for answer in answers:
                expect(re.search(rf"(^|\s){re.escape(answer)}\b", said), f"{line}{answer}:\n{said}")
