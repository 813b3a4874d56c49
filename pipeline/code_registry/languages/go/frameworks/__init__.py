"""The web frameworks of Go, one file each; adding one is a file and a line in the table."""

from pipeline.code_registry.framework import Framework
from pipeline.code_registry.languages.go.frameworks.chi import CHI
from pipeline.code_registry.languages.go.frameworks.echo import ECHO
from pipeline.code_registry.languages.go.frameworks.fiber import FIBER
from pipeline.code_registry.languages.go.frameworks.gin import GIN
from pipeline.code_registry.languages.go.frameworks.gorilla import GORILLA
from pipeline.code_registry.languages.go.frameworks.net_http import NET_HTTP

FRAMEWORKS: tuple[Framework, ...] = (NET_HTTP, GIN, ECHO, CHI, GORILLA, FIBER)
