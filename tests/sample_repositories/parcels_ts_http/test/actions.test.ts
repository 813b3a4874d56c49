import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";

import { createApp } from "../src/app.ts";
import { Depot } from "../src/depot.ts";

const depot = new Depot();
const server = createApp(depot).listen(0);
let base = "";

before(() => {
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  depot.add(7);
  depot.add(8);
});
after(() => server.close());

function post(path: string, body: object): Promise<Response> {
  return fetch(base + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("an action moves all parcels", async () => {
  const answer = await post("/actions", { numbers: [7, 9], action: "dispatch", clerk: "octocat" });
  assert.deepEqual(await answer.json(), { parcels: { 7: "on its way", 9: "unknown" } });
  assert.equal(depot.find(7)?.clerk, "octocat");
});

test("the stream has a line for each parcel", async () => {
  const answer = await post("/actions/stream", { numbers: [7, 8], action: "return", clerk: "octocat" });
  assert.equal(await answer.text(), "7 returned\n8 returned\n");
});

test("parcels are taken in, listed by state and shown", async () => {
  assert.equal((await post("/parcels", { number: 10 })).status, 201);
  assert.equal((await (await fetch(`${base}/parcels?state=in%20the%20depot`)).json()).length, 3);
  assert.equal((await fetch(`${base}/parcels/99`)).status, 404);
});
