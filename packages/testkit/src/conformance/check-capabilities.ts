import assert from "node:assert/strict";
import type { Adapter, Capabilities, Pace } from "@talaria/adapter";
import { messageCapabilitiesSchema } from "@talaria/protocol";
import { abilitiesIn } from "./conformance-test.ts";
import type { AdapterHarness } from "./harness.ts";

/** Each method that exists with a capability, and only with it. */
const promises: readonly [method: keyof Adapter, capability: keyof Capabilities][] = [
  ["openReply", "view"],
  ["edit", "edit"],
  ["setTyping", "typing"],
  ["openMedia", "receive"],
];

/** Fails for capabilities that no platform can have, or that contradict the adapter's methods. */
export function checkCapabilities(harness: AdapterHarness): void {
  const { adapter } = harness;
  const { capabilities } = adapter;
  const { accountPace, choices, receive } = capabilities;
  const has = (method: keyof Adapter) => typeof adapter[method] === "function";
  for (const [method, capability] of promises)
    assert.equal(has(method), capabilities[capability] !== undefined, `the method ${method} and \`${capability}\``);
  assert.equal(has("unreact"), has("react"), "who can react can take it back");
  assert.ok(!(has("findSent") && capabilities.idempotentSend), "findSent is never asked where a send may be repeated");
  assert.deepEqual(JSON.parse(JSON.stringify(capabilities)), capabilities, "capabilities are plain data");
  messageCapabilitiesSchema.parse(capabilities);
  for (const pace of [capabilities.conversationPace, ...(accountPace ? [accountPace] : [])]) checkPace(pace);
  assert.ok(choices === undefined || (choices.max >= 2 && choices.maxLabelLength >= 10), "buttons of use");
  assert.ok(receive === undefined || receive.maxBytes > 0, "an adapter that receives nothing has no `receive`");
  checkConversation(harness);
}

/** What exists for one conversation exists for the account. */
function checkConversation(harness: AdapterHarness): void {
  const { capabilities } = harness.adapter;
  const there = abilitiesIn(harness);
  for (const ability of ["view", "edit", "typing"] as const)
    assert.ok(!(there[ability] && !capabilities[ability]), `capabilitiesFor adds \`${ability}\``);
  checkPace(there.conversationPace);
  for (const { view, edit, typing } of [capabilities, there]) {
    assert.ok((view?.minIntervalMs ?? 0) >= 0 && (edit?.minIntervalMs ?? 0) >= 0, "pauses are not negative");
    assert.ok((typing?.lastsMs ?? 1) > 0, "typing that lasts no time is not shown");
  }
}

function checkPace({ burst, refillMs }: Pace): void {
  assert.ok(burst >= 1 && refillMs >= 0, "a pace lets at least one call through");
}
