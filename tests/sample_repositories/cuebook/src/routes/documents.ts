import { Router } from "express";

import { pasteBody } from "../lib/schemas.js";
import { listCues } from "../services/cuelist.js";
import { placeCue } from "../services/cues.js";
import { parseBlock } from "../services/parse.js";
import { cueSheet } from "../services/sheet.js";

export const documentsRouter = Router();

/** A block of cues, copied from the designer's document, one in each line. */
documentsRouter.post("/:pid/cues/paste", (req, res) => {
  const body = pasteBody.parse(req.body);
  const { drafts, rejected } = parseBlock(body.text, body.department);
  if (body.preview) {
    res.json({ drafts, rejected });
    return;
  }
  const cues = drafts.map((draft) => placeCue(req.params.pid, draft, "paste"));
  res.status(201).json({ cues, rejected });
});

/** The cue sheet on paper. `size` is a4 or a5, `big=1` for the dark prompt corner. */
documentsRouter.get("/:pid/cues/print", (req, res) => {
  const { department, scene } = req.query as Record<string, string | undefined>;
  const size = req.query.size === "a5" ? "a5" : "a4";
  const cues = listCues(req.params.pid, { department, scene });
  res.type("html").send(cueSheet(cues, { size, big: req.query.big === "1" }));
});
