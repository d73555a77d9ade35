import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConformanceTest } from "./conformance-test.ts";
import { expressionTests } from "./expression-tests.ts";
import type { AdapterHarness } from "./harness.ts";
import { inboundTests } from "./inbound-tests.ts";
import { lifecycleTests } from "./lifecycle-tests.ts";
import { outboundTests } from "./outbound-tests.ts";
import { RecordingHost } from "./recording-host.ts";

/**
 * A test that an adapter cannot pass, and why that is right for its platform. Not needed for what the capabilities and the
 * harness already tell.
 */
export interface Deviation {
  readonly test: string;
  readonly reason: string;
}

export interface ConformanceOptions {
  readonly skip?: readonly Deviation[];
}

/** The contract of every adapter, in the order in which it is easiest to get right. */
export const conformanceTests: readonly ConformanceTest[] = [
  ...lifecycleTests,
  ...inboundTests,
  ...outboundTests,
  ...expressionTests,
];

/** How long a test waits for something that should happen. */
const patienceMs = 120_000;

/**
 * Runs the whole suite against fresh harnesses. A test that does not apply is skipped and shows its reason; an unknown one
 * in `skip` fails.
 */
export function describeAdapter(
  name: string,
  makeHarness: () => Promise<AdapterHarness>,
  { skip = [] }: ConformanceOptions = {},
): void {
  describe(`${name} keeps the adapter contract`, () => {
    const unknown = skip.filter((deviation) => !conformanceTests.some((test) => test.name === deviation.test));
    if (unknown.length > 0) it("skips only tests that exist", () => assert.deepEqual(unknown, []));
    for (const test of conformanceTests) {
      const reason = skip.find((deviation) => deviation.test === test.name)?.reason;
      it(test.name, reason === undefined ? {} : { skip: reason }, async (context) => {
        const inapplicable = await runConformanceTest(test, makeHarness, patienceMs);
        if (inapplicable !== undefined) context.skip(inapplicable);
      });
    }
  });
}

/**
 * Starts a new harness, runs one test against it and takes everything down, whatever happens. If the test does not
 * apply, nothing is started and the reason is returned.
 */
export async function runConformanceTest(
  test: ConformanceTest,
  makeHarness: () => Promise<AdapterHarness>,
  patience: number,
): Promise<string | undefined> {
  const harness = await makeHarness();
  const inapplicable = test.without?.(harness);
  if (inapplicable !== undefined) {
    await harness.close();
    return inapplicable;
  }
  const host = new RecordingHost(patience);
  const over = new AbortController();
  try {
    await host.started(harness.adapter);
    await test.run({ harness, host, signal: over.signal });
    return undefined;
  } finally {
    over.abort();
    host.release();
    await harness.adapter.stop();
    await harness.close();
  }
}
