import type { Cue } from "../types.js";
import { data, save } from "./file.js";

export const of = (pid: string): Cue[] => data.cues.filter((cue) => cue.productionId === pid);

export const find = (id: string): Cue | undefined => data.cues.find((cue) => cue.id === id);

export function add(cue: Cue): void {
  data.cues.push(cue);
  save();
}

export function update(id: string, change: Partial<Cue>): void {
  const cue = find(id);
  if (cue) Object.assign(cue, change);
  save();
}

export function remove(id: string): void {
  data.cues = data.cues.filter((cue) => cue.id !== id);
  save();
}
