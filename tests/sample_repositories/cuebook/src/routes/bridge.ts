import { Router, type RequestHandler } from "express";

import { config } from "../config.js";
import { HttpError } from "../lib/errors.js";
import { bridgeCue } from "../lib/schemas.js";
import { listCues } from "../services/cuelist.js";
import { placeCue } from "../services/cues.js";

/** Only the box in the dimmer room gets through. */
const requireBridge: RequestHandler = (req, _res, next) => {
  const token = req.header("x-bridge-token");
  if (!config.bridgeToken || token !== config.bridgeToken) {
    next(new HttpError(401, "not the bridge"));
    return;
  }
  next();
};

/** What the lighting desk may do, through the box in the dimmer room. */
export const bridgeRouter = Router();
bridgeRouter.use(requireBridge);

/** Somebody recorded a cue on the desk. */
bridgeRouter.post("/cues", (req, res) => {
  const body = bridgeCue.parse(req.body);
  const draft = { number: body.number, department: "light" as const, trigger: body.label, fade: body.fade };
  res.status(201).json(placeCue(body.productionId, draft, "bridge"));
});

/** The desk reads the cues, to show the triggers on its screen. */
bridgeRouter.get("/cues", (req, res) => {
  const pid = String(req.query.production ?? "");
  if (!pid) throw new HttpError(400, "production is missing");
  const cues = listCues(pid, { department: "light" });
  const from = req.query.from === undefined ? undefined : String(req.query.from);
  res.json(from ? cues.filter((cue) => Number(cue.number) >= Number(from)) : cues);
});
