import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { linkingText } from "./linking.ts";

describe("a device to link, in the terminal", () => {
  it("is a square picture of light and dark for a QR code", async () => {
    const text = await linkingText({ status: "linking", method: "qr", value: "2@abc,def,ghi" });
    const lines = text?.split("\n").filter((line) => /[▀▄█]/.test(line)) ?? [];
    assert.ok(lines.length >= 10, text);
    assert.equal(new Set(lines.map((line) => line.length)).size, 1);
    assert.notEqual(text, await linkingText({ status: "linking", method: "qr", value: "2@abc,def,xyz" }));
  });

  it("is the code itself where a code is typed in", async () => {
    assert.match((await linkingText({ status: "linking", method: "code", value: "ABCD-1234" })) ?? "", /ABCD-1234/);
  });

  it("is nothing in any other state", async () => {
    for (const state of [{ status: "connected" }, { status: "linking" }, {}, undefined])
      assert.equal(await linkingText(state), undefined);
  });
});
