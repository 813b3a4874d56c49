import { Router } from "express";

import { callBody, syncBody } from "../lib/schemas.js";
import { logCall } from "../services/calls.js";
import * as runs from "../store/runs.js";

export const callsRouter = Router();

/** The stage manager has called a cue. */
callsRouter.post("/:rid/calls", (req, res) => {
  const body = callBody.parse(req.body);
  res.status(201).json(logCall(req.params.rid, body));
});

/** A tablet that had no network hands in what was called meanwhile. */
callsRouter.post("/:rid/calls/sync", (req, res) => {
  const body = syncBody.parse(req.body);
  if (runs.batchSeen(body.device, body.batch)) {
    res.json({ booked: 0 });
    return;
  }
  const booked = body.calls.map((call) => logCall(req.params.rid, call));
  runs.rememberBatch(body.device, body.batch);
  res.json({ booked: booked.length });
});
