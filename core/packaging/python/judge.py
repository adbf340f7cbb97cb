"""Judge: verdicts about CUDA kernels in a loop, from a `kernelbatch serve` process."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import threading

__all__ = ["Judge"]


class Judge:
    """Judges kernels against a reference, each in about the time of its compilation.

        with kernelbatch.Judge(reference="ref.cu", inputs={"x": array}, outputs=["y"]) as judge:
            futures = [judge.submit(source) for source in sources]
            verdicts = [future.result()["verdict"] for future in futures]

    `reference` is a file: a kernel (.cu), or C++ statements that compute the outputs (.cpp). `inputs` is {name: file or
    NumPy array}, `outputs` a list of names or {name: shape}. Further keywords are the keys of a request: values,
    entry, grid, block, rtol, atol, draws, timeout, sizes, sanitize. `device` is auto, cuda, cuda:N or host.
    """

    def __init__(self, *, program=None, device="auto", host_times=False, **request):
        self._folder = tempfile.TemporaryDirectory(prefix="kernelbatch-judge-")
        self._defaults = self._request(request)
        self._lock = threading.Lock()
        self._futures = {}
        self._count = 0
        words = [os.fspath(program or _program()), "serve", "--stdio", "--device", device]
        self._server = subprocess.Popen(words + ["--host-times"] * host_times, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=_environment())
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def submit(self, source=None, **changes):
        """A concurrent.futures.Future of the reply, a dictionary. `changes` are keys for this request only; `image` or
        `file` may replace the source."""
        future = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        request = {**self._defaults, **self._request(changes)}
        if source is not None:
            request["source"] = source
        with self._lock:
            self._count += 1
            self._futures[self._count] = future
            try:
                self._server.stdin.write(json.dumps({"id": self._count, **request}) + "\n")
                self._server.stdin.flush()
            except (OSError, ValueError) as error:
                del self._futures[self._count]
                raise RuntimeError("the judge has ended") from error
        return future

    def judge(self, source=None, **changes):
        """The reply to one request."""
        return self.submit(source, **changes).result()

    def close(self):
        """Waits for all replies, then ends the server."""
        self._server.stdin.close()
        self._reader.join()
        self._server.stdout.close()
        self._server.wait()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _request(self, request):
        request = dict(request)
        for key in ("inputs", "want"):
            if isinstance(request.get(key), dict):
                request[key] = {name: self._file(name, value) for name, value in request[key].items()}
        if request.get("reference") is not None:
            request["reference"] = os.path.abspath(request["reference"])
        return request

    def _file(self, name, value):
        """The path of a file, or of a copy of an array."""
        if isinstance(value, (str, os.PathLike)):
            return os.path.abspath(value)
        import numpy
        handle, path = tempfile.mkstemp(prefix=name + "-", suffix=".npy", dir=self._folder.name)
        with os.fdopen(handle, "wb") as file:
            numpy.save(file, value)
        return path

    def _read(self):
        for line in self._server.stdout:
            reply = json.loads(line)
            with self._lock:
                future = self._futures.pop(reply["id"], None)
            if future is not None:
                future.set_result(reply)
        with self._lock:
            left, self._futures = self._futures, {}
        for future in left.values():
            future.set_exception(RuntimeError("the judge has ended"))


def _program():
    return pathlib.Path(__file__).resolve().parent / "installed" / "bin" / "kernelbatch"


def _environment():
    try:
        from . import _environment as of_package
    except ImportError:  # this file without its package
        return None
    return of_package()
