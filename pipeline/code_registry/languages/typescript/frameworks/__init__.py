"""The web frameworks of TypeScript and JavaScript, one file each; adding one is a file and a line in the table."""

from pipeline.code_registry.framework import Framework

FRAMEWORKS: tuple[Framework, ...] = ()
