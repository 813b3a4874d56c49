import { Router } from "express";

import { cueBody, renumberBody } from "../lib/schemas.js";
import { listCues } from "../services/cuelist.js";
import { placeCue, strikeCue } from "../services/cues.js";
import { renumber } from "../services/renumber.js";

export const cuesRouter = Router();

/** One cue, written in the book by hand. */
cuesRouter.post("/:pid/cues", (req, res) => {
  const body = cueBody.parse(req.body);
  const cue = placeCue(req.params.pid, body, "book");
  res.status(201).json(cue);
});

/** The cues as the tablet shows them. */
cuesRouter.get("/:pid/cues", (req, res) => {
  const { department, scene, q } = req.query as Record<string, string | undefined>;
  const cues = listCues(req.params.pid, { department, scene, q });
  res.json({ cues, count: cues.length });
});

/** Strikes a cue; its number stays free unless `close=1`. */
cuesRouter.delete("/:pid/cues/:cid", (req, res) => {
  strikeCue(req.params.pid, req.params.cid, req.query.close === "1");
  res.status(204).end();
});

/** New numbers for the whole book. */
cuesRouter.post("/:pid/renumber", (req, res) => {
  const body = renumberBody.parse(req.body);
  res.json(renumber(req.params.pid, undefined, body));
});

/** New numbers for the cues of one scene. */
cuesRouter.post("/:pid/scenes/:scene/renumber", (req, res) => {
  const body = renumberBody.parse(req.body);
  res.json(renumber(req.params.pid, req.params.scene, body));
});
