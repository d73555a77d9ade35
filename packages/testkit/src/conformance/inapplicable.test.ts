import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Adapter } from "@talaria/adapter";
import { conformanceTests, runConformanceTest } from "./describe-adapter.ts";
import type { AdapterHarness } from "./harness.ts";
import { makeLoopbackHarness } from "./loopback-harness.ts";
import { overlay } from "./overlay.ts";

type Members = Partial<Record<keyof Adapter, unknown>>;

describe("a test of something that an adapter cannot do", () => {
  const without = <Name extends keyof AdapterHarness>(harness: AdapterHarness, name: Name): AdapterHarness => {
    const { [name]: _, ...others } = harness;
    return others as unknown as AdapterHarness;
  };
  const lacking = (harness: AdapterHarness, members: Members) => ({
    ...harness,
    adapter: overlay(harness.adapter, members),
  });
  const cases: readonly [test: string, reason: RegExp, poorer: (harness: AdapterHarness) => AdapterHarness][] = [
    [
      "a file goes out whole, under its name",
      /sends no files/,
      (harness) => {
        const { send: _, ...capabilities } = harness.adapter.capabilities;
        return lacking(harness, { capabilities });
      },
    ],
    [
      "media opens and closes",
      /receives no files/,
      (harness) => {
        const { receive: _, ...capabilities } = harness.adapter.capabilities;
        return lacking(harness, { capabilities, openMedia: undefined });
      },
    ],
    [
      "typing is told once per call, and so ends by itself",
      /does not show typing here/,
      (harness) => {
        const { typing: _, ...there } = harness.adapter.capabilities;
        return lacking(harness, { capabilitiesFor: () => there });
      },
    ],
    ["a deleted message is gone", /deletes nothing/, (harness) => lacking(harness, { delete: undefined })],
    [
      "a message in a thread carries its thread, and answers go there",
      /no threads/,
      (harness) => ({ ...harness, threads: false }),
    ],
    ["an edit keeps the message id", /nobody changes a message/, (harness) => without(harness, "edit")],
    [
      "nothing is acknowledged that the host did not record",
      /no acknowledgement/,
      (harness) => without(harness, "acknowledged"),
    ],
    [
      "reconnecting reports its states in order",
      /no connection to lose/,
      (harness) => without(harness, "dropConnection"),
    ],
  ];

  for (const [name, reason, poorer] of cases)
    it(`is skipped with its reason, and never passes: ${name}`, async () => {
      const test = conformanceTests.find((candidate) => candidate.name === name);
      assert.ok(test, `there is no test "${name}"`);
      assert.equal(await runConformanceTest(test, makeLoopbackHarness, 1_000), undefined);
      const makePoorer = async () => poorer(await makeLoopbackHarness());
      assert.match((await runConformanceTest(test, makePoorer, 1_000)) ?? "it ran", reason);
    });

  it("fails where the harness shows too little of what the adapter can do", async () => {
    const test = conformanceTests.find(({ name }) => name === "a reaction is put on and taken away");
    assert.ok(test);
    const makeBlind = async () => without(await makeLoopbackHarness(), "reactions");
    await assert.rejects(runConformanceTest(test, makeBlind, 1_000), /needs `reactions` of its harness/);
  });
});
