import assert from "node:assert/strict";
import { test } from "node:test";

import { processAll } from "../src/bulk.ts";

test("an action moves all parcels", () => {
  const depot = new Map([[7, "in the depot"]]);
  const done = processAll(depot, [7, 9], "on its way");
  assert.deepEqual([...done], [[7, "on its way"], [9, "unknown"]]);
  assert.equal(depot.get(7), "on its way");
});
