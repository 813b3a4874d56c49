"""The reader of a framework says what a route declares to take: what only code reads is unknown, and never nothing."""

from dataclasses import replace

import pytest

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.go.language import GO
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.languages.typescript.language import TYPESCRIPT
from pipeline.code_registry.linker import Linker

FASTAPI = b"""
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Order(BaseModel):
    total: int
@app.post("/orders/{id}")
def create(id: str, order: Order): ...
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
import { z } from "zod";
const Order = z.object({ total: z.number() });
const app = express();
app.post("/orders/:id", (req, res) => { res.json(Order.parse(req.body)); });
"""
SERVICES = [(PYTHON, "app.py", FASTAPI), (GO, "main.go", GIN), (TYPESCRIPT, "app.ts", EXPRESS)]


def requests_of(language: Language, path: str, source: bytes) -> list[tuple[tuple[str, ...], object]]:
    files = {path: language.extract(source)}
    _, entries = Linker(language, files, files).link()
    return [(route.path_fields, route.body_fields) for route in entries.routes]


@pytest.mark.parametrize(("language", "path", "source"), SERVICES)
def test_the_framework_of_a_route_reads_its_request_or_leaves_it_unknown(
    language: Language, path: str, source: bytes
) -> None:
    assert requests_of(language, path, source) == [(("id",), ("total",))]
    silent = tuple(replace(framework, read_request=None) for framework in language.frameworks)
    assert requests_of(replace(language, frameworks=silent), path, source) == [(("id",), None)]


def test_keys_that_a_handler_reads_are_no_declaration() -> None:
    flask = b"""
from flask import Flask, request
app = Flask(__name__)
@app.route("/orders/<int:id>", methods=["GET", "POST"])
def order(id): return request.json["total"]
"""
    assert requests_of(PYTHON, "app.py", flask) == [(("id",), ()), (("id",), None)]
