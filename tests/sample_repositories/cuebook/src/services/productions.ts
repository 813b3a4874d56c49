import { randomUUID } from "node:crypto";

import { HttpError } from "../lib/errors.js";
import * as cues from "../store/cues.js";
import * as store from "../store/productions.js";
import * as runs from "../store/runs.js";
import type { Production, Run } from "../types.js";

/** Opens a production and takes over the cues of another one if asked. */
export function open(fields: Omit<Production, "id">, copyFrom?: string): Production {
  const { title, venue, opensOn } = fields;
  const production: Production = { id: randomUUID(), title, venue, opensOn };
  store.add(production);
  if (copyFrom) {
    for (const cue of cues.of(copyFrom)) {
      cues.add({ ...cue, id: randomUUID(), productionId: production.id });
    }
  }
  return production;
}

export function all(closed: boolean): Production[] {
  return store.all().filter((one) => closed || !store.isClosed(one.id));
}

/** Starts a run, there may be only one at a time. */
export function startRun(pid: string, kind: Run["kind"], startedAt?: string): Run {
  if (!store.find(pid)) throw new HttpError(404, "no such production");
  const run: Run = { id: randomUUID(), productionId: pid, kind, startedAt: startedAt ?? new Date().toISOString() };
  runs.add(run);
  return run;
}
