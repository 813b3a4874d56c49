import { randomUUID } from "node:crypto";

import { HttpError } from "../lib/errors.js";
import { between, compareNumbers } from "../lib/numbers.js";
import * as store from "../store/cues.js";
import * as productions from "../store/productions.js";
import type { Cue, Department } from "../types.js";

export interface CueDraft {
  number: string;
  department: Department;
  trigger: string;
  scene?: string;
  fade?: number;
  autofollow?: boolean;
  note?: string;
  after?: string;
}

/** Puts a cue into the book. If its number is taken it goes after `after`, or is refused. */
export function placeCue(pid: string, draft: CueDraft, createdBy: Cue["createdBy"]): Cue {
  if (!productions.find(pid)) throw new HttpError(404, "no such production");
  const { after, ...fields } = draft;
  let number = draft.number;
  if (taken(pid, draft.department, number)) {
    if (!after) throw new HttpError(409, `${draft.department} ${number} is taken`);
    number = squeeze(pid, draft.department, after);
  }
  const cue: Cue = { ...fields, id: randomUUID(), productionId: pid, number, createdBy };
  store.add(cue);
  return cue;
}

/** Is the number in use in this department? */
function taken(pid: string, department: Department, number: string): boolean {
  return store.of(pid).some((cue) => cue.department === department && cue.number === number);
}

/** A free number right after the given cue. */
function squeeze(pid: string, department: Department, after: string): string {
  const row = store
    .of(pid)
    .filter((cue) => cue.department === department)
    .sort((a, b) => compareNumbers(a.number, b.number));
  const at = row.findIndex((cue) => cue.id === after);
  if (at < 0) throw new HttpError(404, "no such cue to go after");
  const next = row[at + 1];
  return next ? between(row[at].number, next.number) : String(Math.floor(Number(row[at].number)) + 1);
}

/** Takes a cue out of the book, `close` moves the later ones of its department up. */
export function strikeCue(pid: string, cid: string, close: boolean): void {
  const gone = store.find(cid);
  if (!gone || gone.productionId !== pid) throw new HttpError(404, "no such cue");
  store.remove(cid);
  if (!close) return;
  for (const cue of store.of(pid)) {
    if (cue.department === gone.department && compareNumbers(cue.number, gone.number) > 0) {
      store.update(cue.id, { number: String(Number(cue.number) - 1) });
    }
  }
}
