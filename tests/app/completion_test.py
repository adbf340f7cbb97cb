"""What bash, zsh and fish make of `kernelbatch completion`: completion_test.py SHELL KERNELBATCH

Types the same lines in the shell itself and compares what it offers. Exits 77 where the shell is not installed.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

shell, kernelbatch = sys.argv[1:3]
if shutil.which(shell) is None:
    print(f"skipped: no {shell}")
    sys.exit(77)

# Input → all words that may be offered, or words that must be among them.
lines = {
    "kernelbatch comp": {"compile", "compare", "completion"},
    "kernelbatch chec": {"check", "check-results"},
    "kernelbatch run --dev": {"--device"},
    "kernelbatch run --device ": {"auto", "host", "cuda"},
    "kernelbatch run --device=h": {"host"},
    "kernelbatch --color ": {"auto", "always", "never"},
    "kernelbatch show --color al": {"always"},
    "kernelbatch export --format ": {"csv", "json", "npy", "t4", "table", "latex", "markdown"},
    "kernelbatch describe prime": {"prime_factor_sum"},
    "kernelbatch completion ": {"bash", "zsh", "fish"},
    "kernelbatch run ": {"sub/", "first.yaml", "other.yml", "third.json"},
    "kernelbatch run --device host -q fi": {"first.yaml"},
    "kernelbatch run first.yaml ot": {"other.yml"},
    "kernelbatch show ": {"sub/", "results.h5"},
    "kernelbatch new-plugin --in ": {"sub/"},
    "kernelbatch run sub/": {"sub/deep.yaml"},
    "kernelbatch list --res": set(),
}


def in_bash(script):
    asked = "".join(f"ask {quoted(line)}\n" for line in lines)
    text = f"""source {script}
complete -p kernelbatch >/dev/null || exit 3
ask() {{
  COMP_LINE=$1 COMP_POINT=${{#1}} COMPREPLY=()
  _kernelbatch
  printf '%s\\n' "${{COMPREPLY[@]}}" ====
}}
{asked}"""
    done = subprocess.run(["bash", "--norc", "-u", "-c", text], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and not done.stderr, done.stderr
    # A terminal marks folders itself.
    return [[word + "/" * os.path.isdir(word) for word in part.split()] for part in done.stdout.split("====\n")]


def in_fish(script):
    asked = "".join(f"complete -C {quoted(line)}; echo ====\n" for line in lines)
    done = subprocess.run(["fish", "--no-config", "-c", f"source {script}\n{asked}"],
                          capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and not done.stderr, done.stderr
    answers = [[line.split("\t")[0] for line in part.splitlines()] for part in done.stdout.split("====\n")]
    return [[word[len("--device="):] if word.startswith("--device=") else word for word in part] for part in answers]


def in_zsh(script):
    """Types into a terminal; every match that zsh's completion adds is written to a file."""
    with open("setup.zsh", "w", encoding="utf-8") as setup:
        setup.write(f"""PS1= PS2= RPS1=
unset zle_bracketed_paste
unsetopt prompt_cr prompt_sp beep
fpath=({os.path.dirname(script)} $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {{
  if [[ " ${{(j: :)@[1,(i)(-|--)]}} " != *' '-(O|A|D)[a-zA-Z_\\ ]* ]]; then
    local -a __hits
    builtin compadd -A __hits "$@"
    print -rl -- $__hits >>answers
  fi
  builtin compadd "$@"
}}
finish() {{ print -r -- '====' >>answers; BUFFER= }}
zle -N finish
bindkey '^T' finish
bindkey '^I' complete-word
setopt no_always_last_prompt no_list_ambiguous
LISTMAX=1000
echo READY >>answers
""")
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "dumb"
        os.execvp("zsh", ["zsh", "-f", "-i"])
    # Without a size zsh asks before it lists.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    answers = ""

    def wait_for(count, word):
        nonlocal answers
        ends = time.monotonic() + 900
        while answers.count(word) < count:
            assert time.monotonic() < ends, f"zsh does not answer: {answers[-2000:]}"
            if select.select([terminal], [], [], 0.02)[0]:
                os.read(terminal, 65536)
            if os.path.exists("answers"):
                with open("answers", encoding="utf-8") as file:
                    answers = file.read()

    os.write(terminal, b"source ./setup.zsh\n")
    wait_for(1, "READY")
    for k, line in enumerate(lines):
        os.write(terminal, f"{line}\t\x14".encode())
        wait_for(k + 1, "====")
    os.write(terminal, b"exit\n")
    os.close(terminal)
    os.waitpid(process, 0)
    parts = answers.replace("READY\n", "").split("====\n")
    return [[word + "/" * os.path.isdir(word) for word in part.split("\n") if word] for part in parts]


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.makedirs("sub")
    os.makedirs("script")
    os.makedirs("home")
    for file in ("first.yaml", "other.yml", "third.json", "results.h5", "notes.txt", "sub/deep.yaml", "sub/deep.txt"):
        open(file, "w", encoding="utf-8").close()
    script = os.path.join(folder, "script", "_kernelbatch")
    with open(script, "wb") as file:
        file.write(subprocess.run([kernelbatch, "completion", shell], check=True, capture_output=True).stdout)
    os.environ.update(PATH=os.path.dirname(kernelbatch) + ":" + os.environ["PATH"], HOME=os.path.join(folder, "home"),
                      LC_ALL="C.UTF-8")
    os.environ.pop("KERNELBATCH_PLUGIN_PATH", None)
    answers = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}[shell](script)
    for (line, wanted), answer in zip(lines.items(), answers):
        offered = {re.sub(r"^sub/(?=.*[^/]$)", "sub/", word) for word in answer}
        if line.endswith("sub/"):  # zsh adds what follows the folder
            offered = {word if word.startswith("sub/") else "sub/" + word for word in offered}
        extra = {word for word in offered - wanted if not re.fullmatch(r"cuda:\d+|home/|script/", word)}
        assert wanted <= offered and not extra, f"{shell}: '{line}' gives {sorted(offered)}, not {sorted(wanted)}"
print(f"{shell} completes {len(lines)} lines")
