import type { NextFunction, Request, Response } from 'express';

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The row, or the answer 404; every route below a key goes through here. */
export function requireFound<T>(row: T | undefined, what: string): T {
  if (row === undefined) {
    throw new HttpError(404, `there is no such ${what}`);
  }
  return row;
}

export function onError(error: unknown, _req: Request, res: Response, _next: NextFunction): void {
  const status = error instanceof HttpError ? error.status : 500;
  res.status(status).json({ error: error instanceof Error ? error.message : 'unknown' });
}
