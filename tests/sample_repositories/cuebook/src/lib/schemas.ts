import { z } from "zod";

import { isCueNumber } from "./numbers.js";

export const department = z.enum(["light", "sound", "fly", "spot"]);

export const cueBody = z.object({
  number: z.string().refine(isCueNumber, "not a cue number"),
  department,
  trigger: z.string().min(1),
  scene: z.string().optional(),
  fade: z.number().nonnegative().optional(),
  autofollow: z.boolean().optional(),
  note: z.string().max(500).optional(),
  /** Id of the cue after which the new one goes, when its number is taken. */
  after: z.string().optional(),
});

export const pasteBody = z.object({
  text: z.string().min(1),
  department,
  /** Show what would come of it, and keep nothing. */
  preview: z.boolean().default(false),
});

export const bridgeCue = z.object({
  productionId: z.string(),
  number: z.string().refine(isCueNumber, "not a cue number"),
  label: z.string().default("from the desk"),
  fade: z.number().nonnegative().optional(),
});

export const callBody = z.object({
  cueId: z.string(),
  calledAt: z.string().datetime().optional(),
  plannedAt: z.string().datetime().optional(),
  caller: z.string().optional(),
  remark: z.string().optional(),
});

export const syncBody = z.object({
  /** Id of the tablet, so that the same heap is not booked twice. */
  device: z.string(),
  batch: z.string(),
  calls: z.array(callBody).min(1),
});

export const mailBody = z.object({
  to: z.array(z.string().email()).min(1),
  cc: z.array(z.string().email()).default([]),
  subject: z.string().optional(),
});

export const renumberBody = z.object({
  step: z.number().int().positive().default(1),
  start: z.number().int().positive().default(1),
  /** These keep their number whatever happens. */
  locked: z.array(z.string()).default([]),
});

export const runBody = z.object({
  kind: z.enum(["tech", "dress", "show"]),
  startedAt: z.string().datetime().optional(),
});

export const productionBody = z.object({
  title: z.string().min(1),
  venue: z.string().optional(),
  opensOn: z.string().optional(),
  /** Id of an older production whose cues are taken over. */
  copyFrom: z.string().optional(),
});
