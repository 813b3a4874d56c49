"""Confine a process on Linux: namespaces, Landlock and a BPF filter of system calls, as far as the kernel allows."""
