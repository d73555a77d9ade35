import assert from "node:assert/strict";
import { it } from "node:test";
import { serialNumberOf } from "./authority.ts";

it("a serial number is positive and in its shortest form, whatever was drawn", () => {
  for (const first of [0x00, 0x12, 0x7f, 0x80, 0xff]) {
    const number = serialNumberOf(Uint8Array.from([first, 0x12, 0x34]));
    assert.match(number, /^[4-7][0-9a-f]1234$/);
  }
});
