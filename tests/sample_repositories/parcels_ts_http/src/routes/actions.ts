import { Router, type Request, type Response } from "express";

import { processAll, processEach, type BulkRequest } from "../bulk.ts";

export const actions = Router();

/** Carries an action out on many parcels, and answers with the result of all. */
actions.post("/", (request: Request<object, object, BulkRequest>, response: Response) => {
  response.json({ parcels: processAll(request.app.locals.depot, request.body) });
});

/** Carries an action out on many parcels, streaming a line for each. */
actions.post("/stream", (request: Request<object, string, BulkRequest>, response: Response) => {
  response.type("text/plain");
  for (const line of processEach(request.app.locals.depot, request.body)) {
    response.write(line);
  }
  response.end();
});
