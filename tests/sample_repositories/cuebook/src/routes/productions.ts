import { Router } from "express";

import { productionBody, runBody } from "../lib/schemas.js";
import * as productions from "../services/productions.js";

export const productionsRouter = Router();

/** A new production, on request with the cues of an older one. */
productionsRouter.post("/", (req, res) => {
  const body = productionBody.parse(req.body);
  res.status(201).json(productions.open(body, body.copyFrom));
});

/** The productions; those that have closed only on request. */
productionsRouter.get("/", (req, res) => {
  const closed = req.query.closed === "1";
  res.json(productions.all(closed));
});

/** A run begins: technical rehearsal, dress rehearsal or show. */
productionsRouter.post("/:pid/runs", (req, res) => {
  const body = runBody.parse(req.body);
  res.status(201).json(productions.startRun(req.params.pid, body.kind, body.startedAt));
});
