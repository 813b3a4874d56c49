import type { Depot } from "./depot.ts";

const states = { dispatch: "on its way", return: "returned" } as const;

/** One action on many parcels, and the clerk who asked for it. */
export interface BulkRequest {
  numbers: number[];
  action: keyof typeof states;
  clerk: string;
}

/** Carries one action out on one parcel, and says what became of it. */
export function processParcel(depot: Depot, number: number, action: BulkRequest["action"], clerk: string): string {
  const parcel = depot.find(number);
  if (parcel === undefined) {
    return "unknown";
  }
  parcel.state = states[action];
  parcel.clerk = clerk;
  return parcel.state;
}

export function processAll(depot: Depot, request: BulkRequest): Record<number, string> {
  return Object.fromEntries(
    request.numbers.map((number) => [number, processParcel(depot, number, request.action, request.clerk)]),
  );
}

export function* processEach(depot: Depot, request: BulkRequest): Generator<string> {
  for (const number of request.numbers) {
    yield `${number} ${processParcel(depot, number, request.action, request.clerk)}\n`;
  }
}
