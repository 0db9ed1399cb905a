"""A control group that may read only so much of a disk a second, for the job that is put into it. Needs root."""
import contextlib
import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")


class CannotThrottle(Exception):
    pass


def device_of(folder):
    """The whole disk that a folder lies on, as the kernel numbers it: "254:0"."""
    number = os.stat(folder).st_dev
    known = pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not known.exists():
        raise CannotThrottle(f"{folder} lies on no disk")
    known = known.resolve()
    if (known / "partition").exists():
        known = known.parent
    return (known / "dev").read_text().strip()


@contextlib.contextmanager
def throttled(folder, bytes_per_second):
    """What to write a process's number into, so that it reads no faster from the folder's disk. CannotThrottle: why not."""
    device = device_of(folder)
    first = ROOT / "blkio"
    if (first / "blkio.throttle.read_bps_device").exists():
        base, file, line = first, "blkio.throttle.read_bps_device", f"{device} {bytes_per_second}"
    elif (ROOT / "cgroup.controllers").exists():
        base, file, line = ROOT, "io.max", f"{device} rbps={bytes_per_second}"
    else:
        raise CannotThrottle("there is no control group that limits disks")
    group = base / f"feedrate_observed_job_{os.getpid()}"
    try:
        if file == "io.max":
            (base / "cgroup.subtree_control").write_text("+io")
        group.mkdir()
    except OSError as error:
        raise CannotThrottle(str(error)) from error
    try:
        try:
            (group / file).write_text(line)
        except OSError as error:
            raise CannotThrottle(str(error)) from error
        yield group / "cgroup.procs"
    finally:
        group.rmdir()
