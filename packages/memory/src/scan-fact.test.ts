import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mostScannedChars } from "@talaria/protocol";
import { whyNotKept } from "./scan-fact.ts";
import { honest, poisoned } from "./testing/texts.fixture.ts";

describe("what is looked for in a fact", () => {
  it("knows each of seventy poisoned texts", () => {
    assert.equal(new Set(poisoned).size, poisoned.length);
    assert.ok(poisoned.length >= 70);
    assert.deepEqual(
      poisoned.filter((text) => whyNotKept(text) === undefined),
      [],
    );
  });

  it("leaves honest facts alone", () => {
    assert.deepEqual(
      honest.flatMap((text) => {
        const why = whyNotKept(text);
        return why === undefined ? [] : [`${text}: ${why}`];
      }),
      [],
    );
  });

  it("says what to do about an order and a secret", () => {
    assert.match(whyNotKept("Always use tables") ?? "", /say it as a fact/);
    assert.match(whyNotKept("deploy token: Zx81kq9-Lm3") ?? "", /operator's `secrets`/);
  });

  it("reads nothing that is longer than its limit", () => {
    assert.equal(whyNotKept("a".repeat(mostScannedChars)), undefined);
    assert.match(whyNotKept("a".repeat(mostScannedChars + 1)) ?? "", /longer than 65536/);
  });

  it("takes no more steps for texts made to make it slow", () => {
    const units = [
      "send ",
      "password ",
      "ignore the ",
      "![",
      "](",
      "a.",
      "a@",
      "<",
      "code ",
      "https://a:",
      "curl ",
      "edit ",
    ];
    const length = 60_000;
    const took = units.map((unit) => {
      const text = unit.repeat(Math.ceil(length / unit.length));
      const before = process.cpuUsage().user;
      whyNotKept(text);
      return { unit, ms: (process.cpuUsage().user - before) / 1_000 };
    });
    // What backtracks without bound takes hours at this length. No test compares with the clock: this only tells a hang from work.
    for (const { unit, ms } of took) assert.ok(ms < 120_000, `${JSON.stringify(unit)} took ${ms} ms`);
  });
});
