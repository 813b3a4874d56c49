/** The state of each parcel, by its number. */
export type Depot = Map<number, string>;

/** Carries one action out on many parcels, and says what became of each. */
export function processAll(depot: Depot, numbers: number[], state: string): Map<number, string> {
  return new Map(numbers.map((number) => [number, processParcel(depot, number, state)]));
}

function processParcel(depot: Depot, number: number, state: string): string {
  if (!depot.has(number)) {
    return "unknown";
  }
  depot.set(number, state);
  return state;
}
