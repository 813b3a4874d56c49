/** An answer that is no success. */
export class Problem extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** The row, or the answer 404; every route below an id goes through here. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) {
    throw new Problem(404, `no such ${what}`);
  }
  return row;
}
