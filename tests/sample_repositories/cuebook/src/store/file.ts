import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { config } from "../config.js";
import type { Call, Cue, Production, Run } from "../types.js";

export interface Data {
  productions: Production[];
  closed: string[];
  cues: Cue[];
  runs: Run[];
  calls: Call[];
  batches: string[];
}

const EMPTY: Data = { productions: [], closed: [], cues: [], runs: [], calls: [], batches: [] };

export const data: Data = existsSync(config.file) ? JSON.parse(readFileSync(config.file, "utf8")) : structuredClone(EMPTY);

/** Writes everything to the file; the house is small enough for that. */
export function save(): void {
  writeFileSync(config.file, JSON.stringify(data));
}
