import { isCueNumber } from "../lib/numbers.js";
import type { Department } from "../types.js";
import type { CueDraft } from "./cues.js";

/** Lines look like `12.5 / she opens the window / 4s`; `#` starts a comment. */
export function parseBlock(text: string, department: Department) {
  const drafts: CueDraft[] = [];
  const rejected: { line: number; text: string }[] = [];
  text.split("\n").forEach((raw, index) => {
    const line = raw.trim();
    if (!line || line.startsWith("#")) return;
    const [number, trigger, fade] = line.split("/").map((part) => part.trim());
    if (!number || !isCueNumber(number) || !trigger) {
      rejected.push({ line: index + 1, text: line });
      return;
    }
    drafts.push({ number, department, trigger, fade: fade ? parseFloat(fade) : undefined });
  });
  return { drafts, rejected };
}
