import express from "express";

import { errorHandler } from "./lib/errors.js";
import { bridgeRouter } from "./routes/bridge.js";
import { callsRouter } from "./routes/calls.js";
import { cuesRouter } from "./routes/cues.js";
import { documentsRouter } from "./routes/documents.js";
import { productionsRouter } from "./routes/productions.js";
import { reportsRouter } from "./routes/reports.js";

/** Puts all routers together. */
export function buildApp() {
  const app = express();
  app.use(express.json({ limit: "2mb" }));
  app.use("/productions", productionsRouter);
  app.use("/productions", cuesRouter);
  app.use("/productions", documentsRouter);
  app.use("/runs", callsRouter);
  app.use("/runs", reportsRouter);
  app.use("/bridge/v1", bridgeRouter);
  app.use(errorHandler);
  return app;
}
