import assert from "node:assert/strict";
import { it } from "node:test";
import { moneyText } from "./index.ts";

it("shows money with two digits, and never shows something as nothing", () => {
  assert.deepEqual(
    [0, 1, 1_499, 9_999, 10_000, 1_234_567, 12_345_678_900].map((micros) => moneyText(micros, "EUR")),
    ["0.00 EUR", "0.000001 EUR", "0.0015 EUR", "0.01 EUR", "0.01 EUR", "1.23 EUR", "12,345.68 EUR"],
  );
});
