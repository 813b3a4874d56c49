import { Router } from "express";

export const parcels = Router();

/** The parcels, or those in one state. */
parcels.get("/", (request, response) => {
  const state = request.query.state;
  response.json(request.app.locals.depot.list(typeof state === "string" ? state : undefined));
});

/** Takes a parcel in. */
parcels.post("/", (request, response) => {
  response.status(201).json(request.app.locals.depot.add(request.body.number));
});

/** Where a parcel is. */
parcels.get("/:number", (request, response) => {
  const parcel = request.app.locals.depot.find(Number(request.params.number));
  if (parcel === undefined) {
    response.sendStatus(404);
    return;
  }
  response.json(parcel);
});
