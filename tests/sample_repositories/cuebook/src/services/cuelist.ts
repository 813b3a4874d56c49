import { compareNumbers } from "../lib/numbers.js";
import * as store from "../store/cues.js";
import type { Cue } from "../types.js";

export interface CueFilter {
  department?: string;
  scene?: string;
  /** Looks in trigger and note. */
  q?: string;
}

/** The cues of a production in the order in which they are called. */
export function listCues(pid: string, filter: CueFilter): Cue[] {
  return store
    .of(pid)
    .filter((cue) => !filter.department || cue.department === filter.department)
    .filter((cue) => !filter.scene || cue.scene === filter.scene)
    .filter((cue) => !filter.q || contains(cue, filter.q))
    .sort((a, b) => compareNumbers(a.number, b.number));
}

function contains(cue: Cue, q: string): boolean {
  return `${cue.trigger} ${cue.note ?? ""}`.toLowerCase().includes(q.toLowerCase());
}
