/** Compares cue numbers as a lighting desk does: 2 < 2.5 < 10. */
export function compareNumbers(a: string, b: string): number {
  return Number(a) - Number(b);
}

/** Is it a number with at most two places after the point? */
export function isCueNumber(text: string): boolean {
  return /^\d{1,4}(\.\d{1,2})?$/.test(text);
}

/** The number in the middle of two, for a cue that is put in between. */
export function between(a: string, b: string): string {
  const middle = (Number(a) + Number(b)) / 2;
  return String(Math.round(middle * 100) / 100);
}
