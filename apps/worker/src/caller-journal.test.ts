import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { askersOf, type Tool, type ToolResultEntry } from "@talaria/agent";
import { systemClock } from "@talaria/protocol";
import { z } from "zod";
import { createAuthorise } from "./authorise.ts";
import { CallerJournal } from "./caller-journal.ts";

const tool: Tool = {
  name: "web_fetch",
  description: "",
  input: z.any(),
  effect: "read",
  permissions: ["net"],
  targets: (url: string) => [{ kind: "url", url, sendsBody: false }],
  execute: async () => ({ content: "" }),
};
const clock: Tool = { ...tool, name: "clock", permissions: [] };
const authorise = createAuthorise({
  policy: { rules: [], trusted: [], approvals: { expiresMinutes: 60 } },
  clock: systemClock,
});

/** What the policy says to a read of this address. */
function decided(journal: CallerJournal, url: string) {
  const call = { callId: "c", name: tool.name, arguments: "{}" };
  const tools = new Map([tool, clock].map((one) => [one.name, one]));
  const { conversation, entries } = journal;
  return authorise(
    { tool, call, input: url, conversation, tools, history: [], journal: entries },
    { grants: [], homes: [] },
  ).decision;
}

function result(callId: string, content: string): ToolResultEntry {
  return { kind: "tool.result", callId, name: "web_fetch", content, isError: false, untrusted: true };
}

describe("the journal of a caller over MCP", () => {
  it("gives calls the rights of the caller", () => {
    const journal = new CallerJournal({ name: "ide", role: "member" }, 0);
    assert.deepEqual(
      askersOf(journal.entries).map(({ role, sender }) => [role, sender.userId]),
      [["member", "mcp:ide"]],
    );
    assert.equal(decided(new CallerJournal({ name: "x", role: "guest" }, 0), "https://a.example/"), "ask");
  });

  it("counts what strangers said as long as the process lives, and holds only so much of it", () => {
    const journal = new CallerJournal({ name: "ide", role: "owner" }, 0);
    assert.equal(decided(journal, "https://composed.example/?secret"), "allow");
    journal.add(result("1", "see https://found.example/page"));
    assert.equal(decided(journal, "https://composed.example/?secret"), "ask");
    assert.equal(decided(journal, "https://found.example/page"), "allow");
    for (let n = 0; n < 1_000; n += 1)
      journal.add({ kind: "tool.result", callId: `${n}`, name: "clock", content: "x", isError: false });
    assert.equal(decided(journal, "https://composed.example/?secret"), "ask");
    assert.equal(decided(journal, "https://found.example/page"), "ask");
    assert.ok(journal.entries.length < 110, String(journal.entries.length));
  });
});
