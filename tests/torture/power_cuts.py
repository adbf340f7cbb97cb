#!/usr/bin/env python3
"""A model of power cuts: records the writes of a real run (strace), and reconstructs what a disk may hold if
the power fails at any point. Data that was not fsynced may be lost, truncated or zero; a name that was
made, changed or removed is safe only when its folder was fsynced, otherwise the change may be lost, in
any order among the names of a folder. In each such state all results that were printed as done must be
there, and nothing damaged may be shown.

    power_cuts.py KERNELBATCH [--cuts N] [--seed S] [--seconds T]
"""

import argparse
import random
import re
import shutil
import sys
import time
from pathlib import Path

from harness import Failure, Job, acknowledged_in, add_budget

CALLS = ("openat,creat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,"
         "mkdir,mkdirat,rmdir,link,linkat,ftruncate,lseek")
CALL = re.compile(r"^(\w+)\((.*)\)\s+=\s+(-?\d+|\?)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(r"^(\d+)<([^>]*)>")


def text_of(hexadecimal):
    return bytes.fromhex(hexadecimal.replace("\\x", ""))


class Trace:
    """A run as a list of operations on paths below one folder."""

    def __init__(self, path, folder):
        self.folder = str(folder)
        self.operations = []
        self.positions = {}  # of descriptors, for write()
        for line in path.read_text(errors="replace").splitlines():
            found = CALL.match(line)
            if found and not found[3].startswith("-"):
                self.add(found[1], found[2], found[3])

    def is_inside(self, *paths):
        return all(path.startswith(self.folder) for path in paths)

    def add(self, call, arguments, result):
        texts = [text_of(text) for text in TEXT.findall(arguments)]
        descriptor = DESCRIPTOR.match(arguments)
        if call in ("openat", "creat"):
            path = texts[0].decode()
            opened = int(result.split("<")[0])
            self.positions[opened] = 0
            if "O_APPEND" in arguments:
                self.positions[opened] = None
            if self.is_inside(path) and "O_CREAT" in arguments:
                self.operations.append(("create", path))
            if self.is_inside(path) and "O_TRUNC" in arguments:
                self.operations.append(("truncate", path, 0))
        elif call == "write" and descriptor:
            number, path = int(descriptor[1]), unquoted(descriptor[2])
            if number == 2:
                self.operations.append(("print", texts[0].decode(errors="replace")))
            elif self.is_inside(path):
                data = texts[0][:int(result)]
                position = self.positions.get(number, 0)
                self.operations.append(("write", path, position, data))
                if position is not None:
                    self.positions[number] = position + len(data)
        elif call == "pwrite64" and descriptor:
            path = unquoted(descriptor[2])
            offset = int(arguments.rsplit(",", 1)[1])
            if self.is_inside(path):
                self.operations.append(("write", path, offset, texts[0][:int(result)]))
        elif call == "lseek" and descriptor:
            self.positions[int(descriptor[1])] = int(result)
        elif call == "ftruncate" and descriptor:
            path = unquoted(descriptor[2])
            if self.is_inside(path):
                self.operations.append(("truncate", path, int(arguments.rsplit(",", 1)[1])))
        elif call in ("fsync", "fdatasync") and descriptor:
            self.operations.append(("sync", unquoted(descriptor[2])))
        elif call.startswith("rename") or call.startswith("link"):
            paths = [text.decode() for text in texts[:2]]
            if self.is_inside(*paths):
                self.operations.append(("rename" if call.startswith("rename") else "link", *paths))
        elif call.startswith("mkdir"):
            path = texts[0].decode()
            if self.is_inside(path):
                self.operations.append(("mkdir", path))
        elif call.startswith("unlink") or call == "rmdir":
            path = texts[0].decode()
            if self.is_inside(path):
                self.operations.append(("unlink", path))


def unquoted(path):
    """The path of a descriptor; strace prints its bytes as \\x2f."""
    return text_of(path).decode() if path.startswith("\\x") else path


class Disk:
    """Names and contents after some operations, and which of them are safe."""

    def __init__(self):
        self.names = {}    # as programs see them: path -> inode number, or "folder"
        self.safe = {}     # certainly on the disk
        self.pending = []  # (path, inode or None): changes of names that are not safe, in order
        self.data = {}     # inode -> bytes as programs see them
        self.synced = {}   # inode -> bytes that are safe
        self.known = set()  # folders that were made

    def apply(self, operation):
        kind = operation[0]
        if kind == "create":
            if operation[1] not in self.names:
                inode = len(self.data)
                self.data[inode] = b""
                self.name(operation[1], inode)
        elif kind == "write":
            inode = self.names.get(operation[1])
            if inode is None or inode == "folder":
                return
            content = self.data[inode]
            position = len(content) if operation[2] is None else operation[2]
            content = content.ljust(position, b"\0")
            self.data[inode] = content[:position] + operation[3] + content[position +
                                                                          len(operation[3]):]
        elif kind == "truncate":
            inode = self.names.get(operation[1])
            if inode is not None:
                self.data[inode] = self.data[inode][:operation[2]].ljust(operation[2], b"\0")
        elif kind == "sync":
            path = operation[1]
            if self.names.get(path, "folder") == "folder":
                self.sync_folder(path)
            else:
                inode = self.names[path]
                self.synced[inode] = self.data[inode]
        elif kind == "rename":
            inode = self.names.get(operation[1])
            if inode == "folder" or inode is None:
                return
            # One atomic change of two names.
            self.names.pop(operation[1])
            self.names[operation[2]] = inode
            self.pending.append(((operation[1], None), (operation[2], inode)))
        elif kind == "link":
            self.name(operation[2], self.names[operation[1]])
        elif kind == "mkdir":
            self.known.add(operation[1])
            self.name(operation[1], "folder")
        elif kind == "unlink":
            if operation[1] in self.names:
                self.names.pop(operation[1])
                self.pending.append(((operation[1], None),))

    def name(self, path, inode):
        self.names[path] = inode
        self.pending.append(((path, inode),))

    def sync_folder(self, folder):
        rest = []
        for change in self.pending:
            if any(str(Path(path).parent) == folder for path, _ in change):
                self.change(self.safe, change)
            else:
                rest.append(change)
        self.pending = rest

    @staticmethod
    def change(names, change):
        for path, inode in change:
            if inode is None:
                names.pop(path, None)
            else:
                names[path] = inode

    def after_cut(self, choose):
        """One state that the disk may be in: {path: bytes}."""
        names = dict(self.safe)
        for change in self.pending:
            if choose.random() < 0.5:
                self.change(names, change)
        files = {}
        for path, inode in names.items():
            # The contents of a folder whose own name is lost are lost as well.
            folders = [str(folder) for folder in Path(path).parents if str(folder) in self.known]
            if inode == "folder" or any(names.get(folder) != "folder" for folder in folders):
                continue
            safe, seen = self.synced.get(inode, b""), self.data[inode]
            if safe == seen:
                files[path] = seen
                continue
            how = choose.randrange(4)
            cut = choose.randrange(len(seen) + 1)
            files[path] = (seen if how == 0 else safe if how == 1 else
                           seen[:cut] if how == 2 else seen[:cut].ljust(len(seen), b"\0"))
        return files


def record(job):
    trace = job.folder / "trace"
    # A task's shards first, so that the run begins and ends with a merge.
    part = job.run("run", job.job, "--shard", "1/2")
    shutil.copytree(job.output.parent, job.folder / "before")
    run = job.run("run", "--overwrite", job.job, prefix=("strace", "-y", "-xx", "-s", "100000000", "-e",
                                          f"trace={CALLS}", "-o", str(trace)))
    if part.returncode != 0 or run.returncode != 0:
        raise Failure(f"the recorded runs ended with {part.returncode}, {run.returncode}")
    return Trace(trace, job.output.parent), acknowledged_in(part.stderr)


def disk_before(job):
    """The files of the first task are safe."""
    disk = Disk()
    for path in sorted((job.folder / "before").rglob("*")):
        name = str(job.output.parent / path.relative_to(job.folder / "before"))
        if path.is_dir():
            disk.names[name] = disk.safe[name] = "folder"
            continue
        inode = len(disk.data)
        disk.data[inode] = disk.synced[inode] = path.read_bytes()
        disk.names[name] = disk.safe[name] = inode
    return disk


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    add_budget(parser, "cuts", 1000, "number of power cuts")
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("strace is not installed")
        return 77
    choose = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    job = Job(options.command)
    trace, first = record(job)
    job.output.parent.rename(job.folder / "whole")
    cuts = resumed = 0
    try:
        while cuts < options.cuts and time.monotonic() < end:
            at = choose.randrange(len(trace.operations) + 1)
            disk, acknowledged = disk_before(job), dict(first)
            for operation in trace.operations[:at]:
                if operation[0] == "print":
                    acknowledged.update(acknowledged_in(operation[1]))
                else:
                    disk.apply(operation)
            shutil.rmtree(job.output.parent, ignore_errors=True)
            for path, content in disk.after_cut(choose).items():
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(content)
            job.check(acknowledged)
            cuts += 1
            if cuts % 25 == 0:
                job.finish()
                resumed += 1
    except Failure as failure:
        print(f"cut {cuts} at operation {at} of {len(trace.operations)}, in {job.folder}: {failure}")
        return 1
    job.close()
    print(f"{cuts} power cuts in {len(trace.operations)} operations, {resumed} of them resumed: "
          "0 results lost")
    return 0 if cuts > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
