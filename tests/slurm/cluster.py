#!/usr/bin/env python3
"""A real Slurm on this machine, for tests: controller, three nodes with simulated GPUs, accounting.

    tests/slurm/cluster.py start FOLDER [KEY=VALUE…]  prints the line that makes sbatch and the rest find it
    tests/slurm/cluster.py stop FOLDER                ends what was started, by process id

Runs from Debian's packages on loopback, without systemd; everything it writes is under FOLDER. Each node
has two whole GPUs of type h100 (known by their index) and two slices of type 2g.10gb (known by UUIDs):
device files without a driver. KEY=VALUE replaces a line of slurm.conf; AccountingStorageType=accounting_storage/none
leaves out accounting. As root, or as a user who is then the only one to run jobs.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

PACKAGES = ("slurmctld slurmd slurm-client munge slurmdbd slurm-wlm-mysql-plugin mariadb-server-core "
            "mariadb-client-core").split()
PROGRAMS = "munged slurmctld slurmd slurmdbd sbatch srun sacct mariadbd mariadb-install-db".split()
NODES = ("n1", "n2", "n3")
CPUS = 8
JOB_SUBMIT = next(pathlib.Path("/usr/lib").glob("*/slurm-wlm/job_submit_lua.so"), None)
# Rules of some sites: jobs must request a GPU, or a time limit; here for one account each.
SITE_RULES = """
function slurm_job_submit(job, partitions, user)
  local wanted = job.tres_per_job or job.tres_per_node or job.tres_per_socket or job.tres_per_task
  if job.account == "gpu-only" and wanted == nil then
    slurm.log_user("jobs of account gpu-only must request a GPU")
    return slurm.ERROR
  end
  if job.account == "time-only" and job.time_limit == slurm.NO_VAL then
    slurm.log_user("please specify --time")
    return slurm.ERROR
  end
  return slurm.SUCCESS
end
function slurm_job_modify(job, record, partitions, user)
  return slurm.SUCCESS
end
return slurm.SUCCESS
"""
GPUS = (("h100", False), ("h100", False), ("2g.10gb", True), ("2g.10gb", True))  # type, is a slice


class Unavailable(Exception):
    """Why Slurm cannot run here."""


def user():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


# A timeout only ends a hang: a busy machine takes many times as long as an idle one.
PATIENCE = 20


def wait_until(is_so, what, seconds=30):
    """Waits for `what`, which takes less than `seconds` on an idle machine."""
    end = time.monotonic() + PATIENCE * seconds
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {PATIENCE * seconds} s for {what}")
        time.sleep(0.05)


def start_of(pid):
    """Start time of a process: with its ID, it identifies the process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except OSError:
        return None


class Cluster:
    def __init__(self, folder, **settings):
        self.settings = settings  # of slurm.conf, in place of the usual ones
        self.folder = pathlib.Path(folder).absolute()
        self.processes = []  # (name, pid, start), in the order of their start
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "etc/slurm.conf"))
        for name in list(self.environment):
            if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF":
                del self.environment[name]

    # ------------------------------------------------------------------ what tests use
    def run(self, *command, check=True, **more):
        done = subprocess.run([str(word) for word in command], env=self.environment, text=True,
                              capture_output=True, **more)
        if check and done.returncode != 0:
            raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def start(self):
        self.require()
        try:
            for part in ("etc", "state", "log", "munge/run", "dev", "accounts/db"):
                (self.folder / part).mkdir(parents=True, exist_ok=True)
            self.ports = free_ports(2 + len(NODES))
            self.start_munge()
            self.write_configuration()
            if self.settings.get("AccountingStorageType") != "accounting_storage/none":
                self.start_accounting()
            self.start_controller()
            for node in NODES:
                self.start_node(node)
            wait_until(lambda: len(self.idle_nodes()) == len(NODES), "the nodes to be idle", 60)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        for process in reversed(self.processes):
            self.end(*process)
        self.processes = []

    def forget_jobs(self):
        """Slurm without any record of its jobs, as after MinJobAge."""
        controller = next(each for each in self.processes if each[0] == "slurmctld")
        self.processes.remove(controller)
        self.end(*controller)
        self.start_controller()
        wait_until(lambda: len(self.idle_nodes()) == len(NODES), "the nodes to be idle", 60)

    def kill_node(self, node):
        """Ends a node with all that runs there, as a power failure does; the controller learns of it at once."""
        daemon = next(each for each in self.processes if each[0] == f"slurmd {node}")
        self.processes.remove(daemon)
        os.kill(daemon[1], signal.SIGKILL)
        configuration = f"SLURM_CONF={self.folder / node}/etc/slurm.conf"
        killed = [pid for pid in processes() if configuration in environment_of(pid)]
        # The parent of a script would report its end.
        for pid in sorted({parent_of(pid) for pid in killed} - {1, None} - set(killed)) + killed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")

    def start_node(self, node):
        home = self.folder / node
        self.daemon(f"slurmd {node}", ["slurmd", "-N", node, "-f", home / "etc/slurm.conf"],
                    home / "slurmd.pid", home / "slurmd.log")

    def mails(self):
        """Words of each mail, and the files that the job's folder had then."""
        file = self.folder / "log/mail"
        return [tuple(line.split("|", 1)) for line in file.read_text().splitlines()] if file.exists() else []

    def idle_nodes(self):
        listed = self.run("sinfo", "-h", "-N", "-p", "main", "-t", "idle", "-o", "%N", check=False).stdout
        return set(listed.split())

    # ------------------------------------------------------------------ how it is made
    def start_controller(self):
        """Clears what an earlier one has stored."""
        self.daemon("slurmctld", ["slurmctld", "-c"], self.folder / "state/slurmctld.pid",
                    self.folder / "log/slurmctld.log")
        wait_until(lambda: "UP" in self.run("scontrol", "ping", check=False).stdout, "slurmctld")

    @staticmethod
    def end(name, pid, began):
        if start_of(pid) != began:
            return
        os.kill(pid, signal.SIGTERM)
        try:
            wait_until(lambda: start_of(pid) != began or is_zombie(pid), name, 15)
        except RuntimeError:
            os.kill(pid, signal.SIGKILL)

    def require(self):
        missing = [name for name in PROGRAMS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None]
        if missing:
            raise Unavailable(f"{', '.join(missing)} not found: apt-get install {' '.join(PACKAGES)}")
        os.environ["PATH"] += ":/usr/sbin"
        self.environment["PATH"] = os.environ["PATH"]
        name = socket.gethostname()
        try:
            address = socket.getaddrinfo(name, None, socket.AF_INET)[0][4][0]
        except OSError as error:
            raise Unavailable(f"the host name {name} does not resolve: {error}") from error
        # Slurm's programs bind to what the host name resolves to.
        if not address.startswith("127."):
            addresses = self.run("ip", "-4", "-o", "addr", check=False).stdout
            if address not in addresses:
                raise Unavailable(f"the host name {name} resolves to {address}, which is not this machine")

    def daemon(self, name, command, pid_file, log):
        pid_file.unlink(missing_ok=True)
        done = self.run(*command, check=False, stdin=subprocess.DEVNULL)
        tail = lambda: "".join(log.read_text().splitlines(True)[-15:]) if log.exists() else ""
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stdout}{done.stderr}{tail()}")
        try:
            wait_until(lambda: pid_file.exists() and pid_file.read_text().strip().isdigit(), name)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {tail()}") from None
        self.note(name, int(pid_file.read_text()))

    def note(self, name, pid):
        self.processes.append((name, pid, start_of(pid)))
        (self.folder / "processes.json").write_text(json.dumps(self.processes))

    def start_munge(self):
        home = self.folder / "munge"
        home.chmod(0o755)
        key = home / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.daemon("munged", ["munged", f"--key-file={key}", f"--socket={home}/run/socket",
                               f"--pid-file={home}/run/munged.pid", f"--log-file={home}/munged.log",
                               f"--seed-file={home}/seed"], home / "run/munged.pid", home / "munged.log")

    def write_configuration(self):
        socket_path = self.folder / "munge/run/socket"
        types = {}
        for kind, _ in GPUS:
            types[kind] = types.get(kind, 0) + 1
        gres = ",".join(f"gpu:{kind}:{count}" for kind, count in types.items())
        settings = {
            "ClusterName": "tests", "SlurmctldHost": f"{socket.gethostname()}(127.0.0.1)",
            "SlurmctldPort": self.ports[0], "SlurmUser": user(), "SlurmdUser": user(),
            "AuthType": "auth/munge", "CredType": "cred/munge",
            # A requeued job waits for its old credential: one second more than this.
            "AuthInfo": f"socket={socket_path},cred_expire=5",
            "CommunicationParameters": "NoInAddrAny,NoCtldInAddrAny",
            "StateSaveLocation": self.folder / "state",
            "SlurmctldPidFile": self.folder / "state/slurmctld.pid",
            "SlurmctldLogFile": self.folder / "log/slurmctld.log",
            "SlurmdSpoolDir": self.folder / "%n/spool", "SlurmdPidFile": self.folder / "%n/slurmd.pid",
            "SlurmdLogFile": self.folder / "%n/slurmd.log", "SlurmdParameters": "config_overrides",
            "MailProg": self.folder / "etc/mail", "MpiDefault": "none", "SwitchType": "switch/none",
            # No control groups: the machine must not be changed.
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/linux", "PropagateResourceLimits": "NONE",
            "PlugStackConfig": self.folder / "etc/plugstack.conf",
            "TaskProlog": self.folder / "etc/task-prolog",
            "ReturnToService": 2, "InactiveLimit": 0, "KillWait": 5, "CompleteWait": 0,
            "MinJobAge": 86400, "MaxArraySize": 10001, "MaxJobCount": 20000,
            "SchedulerType": "sched/backfill",
            # Without these a job waits seconds for the next round.
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1,"
                                   "bf_continue",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core",
            "PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "JobRequeue": 1,
            "GresTypes": "gpu", "AccountingStorageType": "accounting_storage/slurmdbd",
            "AccountingStorageHost": "localhost", "AccountingStoragePort": self.ports[1],
            "AccountingStoragePass": socket_path,
        }
        if JOB_SUBMIT:
            settings["JobSubmitPlugins"] = "lua"
        settings |= self.settings
        text = "".join(f"{key}={value}\n" for key, value in settings.items())
        for node, port in zip(NODES, self.ports[2:]):
            text += (f"NodeName={node} NodeHostName={node} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS} "
                     f"RealMemory=4000 Gres={gres} State=UNKNOWN\n")
        common = "Nodes=ALL MaxTime=INFINITE DefaultTime=30 State=UP OverSubscribe=NO"
        text += f"PartitionName=main Default=YES PriorityTier=10 PreemptMode=OFF {common}\n"
        text += f"PartitionName=low PriorityTier=1 PreemptMode=REQUEUE GraceTime=5 {common}\n"
        gres_text = "AutoDetect=off\n"
        for number, node in enumerate(NODES):
            home = self.folder / node
            for part in ("etc", "spool", "scratch"):
                (home / part).mkdir(parents=True, exist_ok=True)
            (home / "scratch").chmod(0o1777)
            found = ""
            for index, (kind, is_slice) in enumerate(GPUS):
                device = self.folder / f"dev/{node}-nvidia{index}"
                device.unlink(missing_ok=True)
                device.symlink_to("/dev/null")  # it has to be a character device
                gres_text += f"NodeName={node} Name=gpu Type={kind} File={device}\n"
                found += f"{kind}|{CPUS}|0-{CPUS - 1}|(null)|{device}"
                if is_slice:
                    found += f"|MIG-{0xc1000000 + number:08x}-0001-{index:04x}-8000-{index:012x}|nvidia_gpu_env"
                found += "\n"
            (home / "etc/fake_gpus.conf").write_text(found)
        for folder in [self.folder / "etc"] + [self.folder / node / "etc" for node in NODES]:
            (folder / "slurm.conf").write_text(text)
            (folder / "gres.conf").write_text(gres_text)
            (folder / "job_submit.lua").write_text(SITE_RULES)
            (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nIgnoreSystemd=yes\n")
            (folder / "plugstack.conf").write_text("")
        self.write_script("task-prolog", f'scratch={self.folder}/$SLURMD_NODENAME/scratch/$SLURM_JOB_ID\n'
                                         'mkdir -p "$scratch"\necho "export SLURM_TMPDIR=$scratch"\n')
        self.write_script("mail", f'echo "$*|$(ls "$SLURM_JOB_WORK_DIR" | tr \'\\n\' \' \')" >>{self.folder}/log/mail\n')

    def write_script(self, name, text):
        script = self.folder / "etc" / name
        script.write_text("#!/bin/bash\n" + text)
        script.chmod(0o755)

    def start_accounting(self):
        home = self.folder / "accounts"
        self.run("mariadb-install-db", "--no-defaults", f"--user={user()}", f"--datadir={home}/db",
                 "--auth-root-authentication-method=normal", "--skip-test-db")
        server = subprocess.Popen(
            ["mariadbd", "--no-defaults", f"--user={user()}", f"--datadir={home}/db", "--skip-networking",
             f"--socket={home}/socket", f"--log-error={home}/mariadbd.log", "--innodb-buffer-pool-size=64M",
             "--innodb-lock-wait-timeout=900", "--innodb-flush-log-at-trx-commit=0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.note("mariadbd", server.pid)
        sql = lambda text: self.run("mariadb", "--no-defaults", "-S", home / "socket", "-u", "root", "-e", text,
                                    check=False).returncode == 0
        wait_until(lambda: sql("select 1"), "mariadbd", 60)
        assert sql("create database slurm_acct; create user slurm@localhost identified by 'slurm'; "
                   "grant all on slurm_acct.* to slurm@localhost")
        settings = {
            "AuthType": "auth/munge", "AuthInfo": f"socket={self.folder}/munge/run/socket",
            "DbdHost": "localhost", "DbdAddr": "127.0.0.1", "DbdPort": self.ports[1], "SlurmUser": user(),
            "LogFile": home / "slurmdbd.log", "PidFile": home / "slurmdbd.pid",
            "CommunicationParameters": "NoInAddrAny", "StorageType": "accounting_storage/mysql",
            "StorageHost": "localhost", "StorageUser": "slurm", "StoragePass": "slurm",
            "StorageLoc": "slurm_acct"}
        file = self.folder / "etc/slurmdbd.conf"
        file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        file.chmod(0o600)
        self.environment["MYSQL_UNIX_PORT"] = str(home / "socket")
        self.daemon("slurmdbd", ["slurmdbd"], home / "slurmdbd.pid", home / "slurmdbd.log")
        wait_until(lambda: self.run("sacctmgr", "-n", "list", "cluster", check=False).returncode == 0, "sacctmgr")
        self.run("sacctmgr", "-i", "add", "cluster", "tests", check=False)


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def environment_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def is_zombie(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def main(verb, folder, *settings):
    cluster = Cluster(folder, **dict(each.split("=", 1) for each in settings))
    if verb == "start":
        cluster.start()
        print(f"export SLURM_CONF={cluster.folder}/etc/slurm.conf")
    elif verb == "stop":
        cluster.processes = json.loads((cluster.folder / "processes.json").read_text())
        cluster.stop()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(77)
