"""What a process and all that it has started use: memory, and how many processes and threads they are.

A limit of address space (RLIMIT_AS) would break Go and Node, which reserve far more than they use; control groups are
not writable on GitHub's runners; and limits of one process say nothing about its children. So it is looked up.
"""

import mmap
from dataclasses import dataclass
from pathlib import Path

_RESIDENT_PAGES, _SHARED_PAGES = 1, 2  # fields of /proc/<pid>/statm, in pages


@dataclass(frozen=True)
class ProcessUsage:
    """Bytes of memory that no other process shares, and the number of processes and threads."""

    memory_bytes: int
    tasks: int


def usage_of(root: int) -> ProcessUsage:
    """What a process with all its descendants uses. Nothing where the system does not say (it does on Linux)."""
    pages, tasks, left = 0, 0, [root]
    while left:
        place = Path("/proc", str(left.pop()))
        try:
            fields = (place / "statm").read_text().split()
            threads = list((place / "task").iterdir())
            for thread in threads:
                left += map(int, (thread / "children").read_text().split())
        except OSError:
            continue  # it has ended
        pages += max(0, int(fields[_RESIDENT_PAGES]) - int(fields[_SHARED_PAGES]))
        tasks += len(threads)
    return ProcessUsage(pages * mmap.PAGESIZE, tasks)
