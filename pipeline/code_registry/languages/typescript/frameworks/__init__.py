"""The web frameworks of TypeScript and JavaScript, one file each; adding one is a file and a line in the table."""

from pipeline.code_registry.framework import Framework
from pipeline.code_registry.languages.typescript.frameworks.express import EXPRESS, EXPRESS_CHAIN
from pipeline.code_registry.languages.typescript.frameworks.fastify import FASTIFY
from pipeline.code_registry.languages.typescript.frameworks.hono import HONO
from pipeline.code_registry.languages.typescript.frameworks.koa import KOA
from pipeline.code_registry.languages.typescript.frameworks.nestjs import NESTJS
from pipeline.code_registry.languages.typescript.frameworks.next import NEXT_APP, NEXT_PAGES

FRAMEWORKS: tuple[Framework, ...] = (EXPRESS, EXPRESS_CHAIN, FASTIFY, HONO, KOA, NESTJS, NEXT_APP, NEXT_PAGES)
