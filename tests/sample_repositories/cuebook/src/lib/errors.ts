import type { ErrorRequestHandler } from "express";
import { ZodError } from "zod";

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Makes JSON of everything that was thrown. */
export const errorHandler: ErrorRequestHandler = (err, _req, res, _next) => {
  if (err instanceof ZodError) {
    res.status(422).json({ error: "invalid", issues: err.issues });
    return;
  }
  const status = err instanceof HttpError ? err.status : 500;
  res.status(status).json({ error: err.message });
};
