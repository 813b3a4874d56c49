import { config } from "../config.js";
import { HttpError } from "../lib/errors.js";
import * as cues from "../store/cues.js";
import * as runs from "../store/runs.js";
import type { Call } from "../types.js";

export interface CallInput {
  cueId: string;
  calledAt?: string;
  plannedAt?: string;
  caller?: string;
  remark?: string;
}

/** Books that a cue was called, and whether it was late. */
export function logCall(rid: string, input: CallInput): Call {
  const run = runs.find(rid);
  if (!run) throw new HttpError(404, "no such run");
  const cue = cues.find(input.cueId);
  if (!cue || cue.productionId !== run.productionId) throw new HttpError(422, "cue of another production");
  const calledAt = input.calledAt ?? new Date().toISOString();
  const call: Call = {
    runId: rid,
    cueId: cue.id,
    calledAt,
    late: isLate(calledAt, input.plannedAt),
    caller: input.caller,
    remark: input.remark,
  };
  runs.addCall(call);
  return call;
}

function isLate(calledAt: string, plannedAt?: string): boolean {
  if (!plannedAt) return false;
  return Date.parse(calledAt) - Date.parse(plannedAt) > config.lateAfter * 1000;
}
