import { expect, it } from "vitest";

import { parseBlock } from "../src/services/parse.js";

it("skips comments and keeps what it can't read", () => {
  const { drafts, rejected } = parseBlock("# act one\n12 / door / 3s\nhouse to half", "light");
  expect(drafts).toEqual([{ number: "12", department: "light", trigger: "door", fade: 3 }]);
  expect(rejected).toEqual([{ line: 3, text: "house to half" }]);
});
