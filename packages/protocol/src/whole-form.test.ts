import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { withWholeForm } from "./whole-form.ts";

const address = "http://127.0.0.1/";

describe("a request with a form", () => {
  const unheld: unknown[] = [];
  const note = (error: unknown) => unheld.push(error);
  before(() => process.on("unhandledRejection", note));
  after(() => process.off("unhandledRejection", note));

  const given = () => {
    const body = new FormData();
    body.set("type", "image/png");
    body.set("file", new Blob([new Uint8Array(1_000_000).fill(7)], { type: "image/png" }), "a.png");
    return { method: "POST", headers: { authorization: "Bearer x" }, body };
  };

  it("arrives as it was", async () => {
    const request = new Request(address, await withWholeForm(given()));
    assert.equal(request.headers.get("authorization"), "Bearer x");
    const form = await request.formData();
    assert.equal(form.get("type"), "image/png");
    const file = form.get("file");
    assert.ok(file instanceof File);
    assert.deepEqual([file.name, file.type, file.size], ["a.png", "image/png", 1_000_000]);
  });

  it("leaves nothing behind when it is given up", async () => {
    await new Request(address, await withWholeForm(given())).body?.cancel();
    for (let n = 0; n < 20; n += 1) await turn();
    assert.deepEqual(unheld, []);
  });

  it("is the only one that changes", async () => {
    const init = { method: "POST", body: "{}" };
    assert.equal(await withWholeForm(init), init);
  });
});
