import type { Cue } from "../types.js";

export interface SheetOptions {
  size: "a4" | "a5";
  big: boolean;
}

/** Draws the cue sheet as HTML for the browser's print dialog. */
export function cueSheet(cues: Cue[], options: SheetOptions): string {
  const rows = cues.map(
    (cue) => `<tr class="${cue.department}"><td>${cue.number}</td><td>${escape(cue.trigger)}</td><td>${cue.fade ?? ""}</td></tr>`,
  );
  const font = options.big ? 18 : 11;
  return `<html><style>@page{size:${options.size}}td{font-size:${font}pt}</style><table>${rows.join("")}</table></html>`;
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
