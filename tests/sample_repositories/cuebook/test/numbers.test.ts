import { describe, expect, it } from "vitest";

import { between, compareNumbers, isCueNumber } from "../src/lib/numbers.js";

describe("cue numbers", () => {
  it("sorts as a desk does", () => {
    expect(["10", "2.5", "2"].sort(compareNumbers)).toEqual(["2", "2.5", "10"]);
  });
  it("finds the middle", () => {
    expect(between("2", "3")).toBe("2.5");
  });
  it("refuses three places", () => {
    expect(isCueNumber("1.234")).toBe(false);
  });
});
