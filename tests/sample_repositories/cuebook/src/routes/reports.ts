import { Router } from "express";

import { mailBody } from "../lib/schemas.js";
import { composeReport, sendReport } from "../services/report.js";

export const reportsRouter = Router();

/** The show report on the screen. */
reportsRouter.get("/:rid/report", (req, res) => {
  const report = composeReport(req.params.rid);
  if (req.query.format === "text") {
    res.type("text").send(report.text);
    return;
  }
  res.json(report);
});

/** The show report goes out by mail. */
reportsRouter.post("/:rid/report/mail", async (req, res, next) => {
  try {
    const body = mailBody.parse(req.body);
    const report = composeReport(req.params.rid);
    await sendReport(report, body);
    res.status(202).json({ sent: body.to.length + body.cc.length });
  } catch (err) {
    next(err);
  }
});
