import assert from "node:assert/strict";
import { it } from "node:test";
import { ownerNews } from "./owner-news.ts";

const told = (line: string) => ownerNews.problem({ line, stopsAnswers: true }).split("\n")[0];

for (const [line, sentences] of [
  [
    "model main: its provider refuses the key, since 19:30 UTC (2 requests failed): put a working one there",
    "Model main: its provider refuses the key, since 19:30 UTC (2 requests failed). Put a working one there.",
  ],
  [
    "the worker 1 ends again and again (the last: SIGKILL), and is started each time: the log shows why",
    "The worker 1 ends again and again (the last: SIGKILL), and is started each time. The log shows why.",
  ],
  [
    "account a may not write to `Eve: x` (`42`): it is gone.",
    "Account a may not write to `Eve: x` (`42`). It is gone.",
  ],
  ["model big: its key is refused", "Model big: its key is refused."],
] as const)
  it(`owners read in sentences that ${line}`, () => {
    assert.equal(told(line), `People get no answers from me. ${sentences}`);
  });
