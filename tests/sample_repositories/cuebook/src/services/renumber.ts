import { compareNumbers } from "../lib/numbers.js";
import * as store from "../store/cues.js";
import type { Department } from "../types.js";

export interface RenumberOptions {
  step: number;
  start: number;
  locked: string[];
}

const DEPARTMENTS: Department[] = ["light", "sound", "fly", "spot"];

/** Counts through the departments again, and says what became of each number. */
export function renumber(pid: string, scene: string | undefined, options: RenumberOptions) {
  const changes: { id: string; from: string; to: string }[] = [];
  for (const department of DEPARTMENTS) {
    let next = options.start;
    const cues = store
      .of(pid)
      .filter((cue) => cue.department === department && (!scene || cue.scene === scene))
      .sort((a, b) => compareNumbers(a.number, b.number));
    for (const cue of cues) {
      if (options.locked.includes(cue.id)) continue;
      const to = String(next);
      next += options.step;
      if (to === cue.number) continue;
      changes.push({ id: cue.id, from: cue.number, to });
      store.update(cue.id, { number: to });
    }
  }
  return { changes };
}
