import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type Instant, type SessionKey } from "@talaria/protocol";
import type { SessionSummary } from "@talaria/store";
import { nothingToRetry } from "./nothing-to-retry.ts";

const at = brandAs<Instant>("2026-11-24T14:03:10.000Z");
const quiet: SessionSummary = {
  sessionKey: brandAs<SessionKey>("main/a"),
  waiting: 0,
  running: false,
  asking: false,
  turns: 3,
  startedAt: at,
};

it("says that a session without anything given up has nothing to retry", () => {
  assert.match(nothingToRetry(quiet), /^nothing to retry: this session was not given up.* tried again by itself$/);
  assert.match(nothingToRetry({ ...quiet, waiting: 2 }), /nothing to retry.*at work/);
});

it("says that a session that was given up without a dropped message answers the next one", () => {
  assert.match(nothingToRetry({ ...quiet, setAsideAt: at }), /no message was dropped/);
});
