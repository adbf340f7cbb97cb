"""Writes the workload that plugins/README.md shows, builds it with this build's own commands, and runs it."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

root, build = sys.argv[1:3]
text = open(os.path.join(root, "plugins", "README.md"), encoding="utf-8").read()
steps = text[text.index("## A workload in ten minutes"):text.index("## What else there is")]
# Each block belongs to the last file that the text before it names.
files, commands, name = {}, [], None
for part in re.split(r"(```\w+\n.*?```)", steps, flags=re.S):
    block = re.match(r"```(\w+)\n(.*)```", part, flags=re.S)
    if not block:
        name = (re.findall(r"`((?:plugins|jobs)/axpy[\w./]*\.\w+)`", part) or [name])[-1]
    elif block[1] == "sh":
        commands += block[2].splitlines()
    else:
        files[name] = block[2]
assert len(files) == 7 and len(commands) == 3, f"the README has lost its steps: {sorted(files)}"


def one_command(word):
    """The command of the build that makes mse's file, as words."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "commands", "kernelbatch_plugin_mse"],
                            capture_output=True, text=True, check=True).stdout
    found = [line for line in listed.splitlines() if word in line]
    assert len(found) == 1, f"{len(found)} commands have {word}"
    return found[0]


try:
    # All of a plugin's sources are one translation unit.
    unit = f"{build}/plugins/mse/CMakeFiles/kernelbatch_plugin_mse.dir/Unity/unity_0_cxx.cxx"
    compiling = one_command("-c " + unit)
    linking = one_command("-o plugins/mse.so")
except FileNotFoundError:
    print("skipped: no ninja")
    sys.exit(77)

with tempfile.TemporaryDirectory() as here:
    for path, body in files.items():
        os.makedirs(os.path.dirname(os.path.join(here, path)), exist_ok=True)
        with open(os.path.join(here, path), "w", encoding="utf-8") as file:
            file.write(body)
    listed = re.search(r"kernelbatch_add_plugin\(axpy SOURCES ([^)]*)\)", files["plugins/axpy/CMakeLists.txt"])
    objects = []
    for source in listed[1].split():
        objects.append(f"{here}/{source}.o")
        line = compiling.replace(unit, f"{here}/plugins/axpy/{source}")
        line = re.sub(r"-o \S+", f"-I{here} -o {objects[-1]}", line)
        line = re.sub(r"-MF \S+", f"-MF {objects[-1]}.d", line)
        subprocess.run(line, shell=True, check=True, cwd=build)
    line = re.sub(r"plugins/mse/\S+\.o", "", linking)
    line = line.replace("-o plugins/mse.so", f"-o {here}/axpy.so " + shlex.join(objects))
    subprocess.run(line, shell=True, check=True, cwd=build)

    os.symlink(build, f"{here}/build")
    environment = dict(os.environ, KERNELBATCH_PLUGIN_PATH=here)
    for command in commands[1:]:
        if " run " in command:
            command += " --device host"
        done = subprocess.run(command.split(), cwd=here, env=environment, capture_output=True, text=True)
        print(done.stdout[-2000:])
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        assert "elementwise" in done.stdout and "jit" in done.stdout, command
print("the workload of plugins/README.md builds and runs")
