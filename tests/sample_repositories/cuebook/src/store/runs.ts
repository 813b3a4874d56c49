import type { Call, Run } from "../types.js";
import { data, save } from "./file.js";

export const find = (id: string): Run | undefined => data.runs.find((run) => run.id === id);

export function add(run: Run): void {
  data.runs.push(run);
  save();
}

/** What was called in a run, in the order in which it was booked. */
export const callsOf = (rid: string): Call[] => data.calls.filter((call) => call.runId === rid);

export function addCall(call: Call): void {
  data.calls.push(call);
  save();
}

const key = (device: string, batch: string) => `${device}/${batch}`;

/** Has this heap of a tablet been booked already? */
export const batchSeen = (device: string, batch: string): boolean => data.batches.includes(key(device, batch));

export function rememberBatch(device: string, batch: string): void {
  data.batches.push(key(device, batch));
  save();
}
