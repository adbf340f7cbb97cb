"""capture: a kernel that a Python function launches, as a job."""
import os
import pathlib
import subprocess
import sys

__all__ = ["capture"]

# The file is run like an imported module, so that its `if __name__ == "__main__"` part is left out.
_FROM_FILE = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='captured')[sys.argv[2]]()"
_FROM_MODULE = "import importlib, sys; getattr(importlib.import_module(sys.argv[1]), sys.argv[2])()"


def capture(function, kernel="", output="captured.yaml", *, program=None, **options):
    """Calls a function of a module, without arguments, in a new Python process under `kernelbatch capture`, and returns
    the path of the job.

        kernelbatch.capture(train.step, kernel="softmax", output="softmax.yaml", nth=3, separate_arrays=True)

    Options are those of the command; True is a flag. Raises subprocess.CalledProcessError if no launch was captured or
    the process failed.
    """
    if getattr(function, "__qualname__", ".") != getattr(function, "__name__", ""):
        raise TypeError(f"{function!r} is not a function of a module, which another process can call")
    if function.__module__ == "__main__":
        called = [_FROM_FILE, os.path.abspath(sys.modules["__main__"].__file__)]
    else:
        called = [_FROM_MODULE, function.__module__]
    words = [os.fspath(program or _program()), "capture", "-o", os.fspath(output)]
    if kernel:
        words += ["--kernel", kernel]
    for name, value in options.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += ["--" + name.replace("_", "-")] + ([] if each is True else [str(each)])
    words += ["--", sys.executable, "-c", *called, function.__name__]
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    subprocess.run(words, check=True, env={**os.environ, "PYTHONPATH": paths})
    return pathlib.Path(output)


def _program():
    from . import program
    return program
