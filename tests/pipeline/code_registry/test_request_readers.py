"""A request is read by the reader of its framework: where a framework has none, its requests are unknown."""

from dataclasses import replace

import pytest

from pipeline.code_registry.assembly import link_whole
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.go.language import GO
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.languages.typescript.language import TYPESCRIPT

FLASK = b"""
from flask import Flask, request
app = Flask(__name__)
@app.post("/orders/<id>")
def create(id): return request.json["total"]
"""
GIN = b"""
package main
import "github.com/gin-gonic/gin"
type Order struct { Total int `json:"total"` }
func create(c *gin.Context) { var order Order; c.ShouldBindJSON(&order) }
func main() { r := gin.Default(); r.POST("/orders/:id", create); r.Run() }
"""
EXPRESS = b"""
import express from "express";
const app = express();
app.post("/orders/:id", (req, res) => { res.json(req.body.total); });
"""
SERVICES = [(PYTHON, "app.py", FLASK), (GO, "main.go", GIN), (TYPESCRIPT, "app.ts", EXPRESS)]


def requests_of(language: Language, path: str, source: bytes) -> list[tuple[tuple[str, ...], object]]:
    files = {path: language.extract(source)}
    _, entries = link_whole(language, files, files)
    return [(route.path_fields, route.body_fields) for route in entries.routes]


@pytest.mark.parametrize(("language", "path", "source"), SERVICES)
def test_the_framework_of_a_route_reads_its_request(language: Language, path: str, source: bytes) -> None:
    assert requests_of(language, path, source) == [(("id",), ("total",))]


@pytest.mark.parametrize(("language", "path", "source"), SERVICES)
def test_a_framework_without_a_reader_leaves_its_requests_unknown(
    language: Language, path: str, source: bytes
) -> None:
    silent = tuple(replace(framework, read_request=None) for framework in language.frameworks)
    assert requests_of(replace(language, frameworks=silent), path, source) == [((), None)]
