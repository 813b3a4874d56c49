import express, { type Express } from "express";

import { Depot } from "./depot.ts";
import { actions } from "./routes/actions.ts";
import { parcels } from "./routes/parcels.ts";

export function createApp(depot = new Depot()): Express {
  const app = express();
  app.locals.depot = depot;
  app.use(express.json());
  app.use("/actions", actions);
  app.use("/parcels", parcels);
  app.get("/health", (_request, response) => {
    response.json({ status: "ok" });
  });
  return app;
}
