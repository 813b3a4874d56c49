import nodemailer from "nodemailer";

import { config } from "../config.js";
import { HttpError } from "../lib/errors.js";
import * as cues from "../store/cues.js";
import * as productions from "../store/productions.js";
import * as runs from "../store/runs.js";

export interface Report {
  title: string;
  kind: string;
  startedAt: string;
  called: number;
  late: string[];
  missed: string[];
  text: string;
}

/** Writes the show report: what was called, what was late, what was forgotten. */
export function composeReport(rid: string): Report {
  const run = runs.find(rid);
  if (!run) throw new HttpError(404, "no such run");
  const title = productions.find(run.productionId)?.title ?? "?";
  const booked = runs.callsOf(rid);
  const all = cues.of(run.productionId);
  const name = (id: string) => {
    const cue = all.find((one) => one.id === id);
    return cue ? `${cue.department} ${cue.number}` : "struck cue";
  };
  const late = booked.filter((call) => call.late).map((call) => name(call.cueId));
  const missed = all.filter((cue) => !booked.some((call) => call.cueId === cue.id)).map((cue) => name(cue.id));
  const lines = [
    `${title} (${run.kind}), ${run.startedAt}`,
    `Called: ${booked.length}`,
    `Late: ${late.join(", ") || "none"}`,
    `Missed: ${missed.join(", ") || "none"}`,
    ...booked.filter((call) => call.remark).map((call) => `* ${name(call.cueId)}: ${call.remark}`),
  ];
  return { title, kind: run.kind, startedAt: run.startedAt, called: booked.length, late, missed, text: lines.join("\n") };
}

export interface Envelope {
  to: string[];
  cc: string[];
  subject?: string;
}

/** Sends the report as plain text. */
export async function sendReport(report: Report, envelope: Envelope): Promise<void> {
  const transport = nodemailer.createTransport(config.smtpUrl);
  await transport.sendMail({
    from: config.mailFrom,
    to: envelope.to,
    cc: envelope.cc,
    subject: envelope.subject ?? `Show report: ${report.title}`,
    text: report.text,
  });
}
