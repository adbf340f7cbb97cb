"""Output on terminals and pipes: terminal_test.py KERNELBATCH STORE_SAMPLE_FILE

Terminals with and without colour, narrow ones, pipes, locales, pipes that nobody reads, full disks.
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

kernelbatch, sample_file = map(os.path.abspath, sys.argv[1:3])
for variable in list(os.environ):
    if variable in ("NO_COLOR", "COLUMNS", "LANG", "TERM") or variable.startswith(("LC_", "KERNELBATCH_COLOR")):
        del os.environ[variable]


def in_pipe(*arguments, **environment):
    done = subprocess.run([kernelbatch, *arguments], capture_output=True, env={**os.environ, **environment}, timeout=900)
    assert done.returncode == 0, (arguments, done)
    return done.stdout


def on_terminal(*arguments, columns=200, **environment):
    """Output on a terminal of `columns` columns."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execv(kernelbatch, [kernelbatch, *arguments])
    received = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the process has ended
            break
        if not part:
            break
        received += part
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0, received
    return received.decode("utf-8").replace("\r\n", "\n")


def widest(text):
    return max(len(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([sample_file, "sample.h5", "empty.h5"], check=True, stdout=subprocess.DEVNULL)
    show = ("show", "sample.h5")

    # Colour: on terminals only, unless requested otherwise.
    assert "\x1b[" in on_terminal(*show)
    for without in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"KERNELBATCH_COLOR": "never"}):
        assert "\x1b" not in on_terminal(*show, **without), without
    assert "\x1b[" in on_terminal(*show, NO_COLOR=""), "an empty NO_COLOR counts as unset"
    assert "\x1b[" in on_terminal("--color", "always", *show, NO_COLOR="1")
    assert b"\x1b" not in in_pipe(*show)
    assert b"\x1b[" in in_pipe("--color", "always", *show)

    # Narrow terminals: no row of a table is longer. Pipes are not cut.
    whole = on_terminal(*show, columns=400)
    assert widest(whole) > 70, "the table is too small to be cut"
    for columns, environment in ((40, {}), (200, {"COLUMNS": "40"}), (60, {})):
        text = on_terminal(*show, columns=columns, **environment)
        # Headings and reasons are complete, and wrapped by the terminal; rows are cut.
        rows = "\n".join(line for line in text[:text.index("Not ok")].split("\n") if not line.startswith("\x1b[1m"))
        assert 20 < widest(rows) <= (40 if environment else columns), text
        assert text.count("\n") >= 0.9 * whole.count("\n"), "lines are missing"
    assert widest(in_pipe(*show, COLUMNS="40", LC_ALL="C.UTF-8").decode()) > 70
    for command in ("run", "compare", "status"):
        text = on_terminal(command, "--help", columns=40)
        body = text[:text.index("Examples:")]
        # Names of options are complete, on separate lines.
        assert all(len(line) <= 40 or re.match(r"  -|Usage|  [A-Z]", line) for line in body.split("\n")), body
    assert widest(on_terminal("list", columns=40)) <= 40

    # Locales: no byte beyond ASCII if the encoding has none, but data is UTF-8 everywhere.
    for locale in ("C", "POSIX", ""):
        said = in_pipe(*show, LC_ALL=locale)
        said.replace("größer".encode(), b"").decode("ascii")  # a name's letters pass as they are
        assert b"+- " in said, said
        in_pipe("run", "--help", LC_ALL=locale).decode("ascii")
    assert "± " in in_pipe(*show, LC_ALL="C.UTF-8").decode()
    assert "± " in in_pipe(*show, LANG="C.UTF-8").decode()
    assert "± " in in_pipe(*show, LANG="de_XX.UTF-8").decode(), "a locale that is not installed counts by its name"
    assert "+- " in on_terminal(*show, LC_ALL="C")
    wrong = subprocess.run([kernelbatch, "run", "--device", "tpu", "x"], capture_output=True,
                           env={**os.environ, "LC_ALL": "C"}, timeout=900)
    wrong.stderr.decode("ascii")
    for data in (("show", "sample.h5", "--json"), ("export", "sample.h5"), ("schema",),
                 ("compare", "sample.h5", "sample.h5", "--json")):
        assert in_pipe(*data, LC_ALL="C") == in_pipe(*data, LC_ALL="C.UTF-8"), data
    definitions = json.loads(in_pipe("schema", LC_ALL="C"))["definitions"]
    assert "…" in definitions["source_arange"]["properties"]["arange"]["description"]
    assert "größer".encode() in in_pipe(*show, LC_ALL="C")

    # A reader that goes away, with SIGPIPE as it is by default and ignored: quiet, and no crash.
    for command in (("list",), ("schema",), ("export", "sample.h5", "--table", "samples"), ("--help",)):
        for restores in (True, False):
            for locale in ("C", "C.UTF-8"):
                reader, writer = os.pipe()
                os.close(reader)  # before the start: a short text could be written before a later close
                process = subprocess.run([kernelbatch, *command], stdout=writer, stderr=subprocess.PIPE, timeout=900,
                                         restore_signals=restores, env={**os.environ, "LC_ALL": locale})
                os.close(writer)
                said, status = process.stderr, process.returncode
                assert not said and status in (-13, 141), (command, restores, locale, status, said)

    # A full disk is reported.
    for locale in ("C", "C.UTF-8"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([kernelbatch, "schema"], stdout=full, stderr=subprocess.PIPE,
                                  env={**os.environ, "LC_ALL": locale}, timeout=900)
        assert done.returncode == 6 and b"No space left" in done.stderr, done
print("colours, widths, locales, closed pipes and full disks are met")
