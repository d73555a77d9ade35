import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type TurnId } from "@talaria/protocol";
import { z } from "zod";
import { chooseTools } from "./choose-tools.ts";
import { type AskedCall, defineTool, type ModelRequest, type Tool, type TranscriptEntry } from "./index.ts";
import {
  calls,
  person,
  play,
  resultsOf,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

const look = tool("look", "read", () => "seen");

function rare(name: string): Tool {
  return defineTool({
    name,
    description: `Does ${name.replace("_", " ")}, which is seldom needed. ${"It takes its words. ".repeat(20)}`,
    effect: "write",
    permissions: [],
    isRare: true,
    input: z.strictObject({ title: z.string() }),
    execute: async ({ title }) => ({ content: `${name} ${title}` }),
  });
}

const post = rare("post_letter");
const tools = [look, post, rare("paint_wall"), rare("feed_cat")];
const { isRare: _, ...ordering } = rare("mcp_shop_order");
const served: Tool = { ...ordering, onDemand: true };
const viaCall = (title: string) => ["call_tool", JSON.stringify({ name: post.name, input: { title } })] as const;
const namesIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);

describe("rare tools", () => {
  it("wait behind the index that names them, however few there are", () => {
    const { shown, callable } = chooseTools(tools, []);
    assert.deepEqual(shown.map(({ name }) => name).sort(), ["call_tool", "find_tools", "look"]);
    assert.match(shown[1]?.description ?? "", /: feed_cat, paint_wall, post_letter\. /);
    for (const one of tools) assert.ok(callable.includes(one));
  });

  it("stand in the request where the index would take more", () => {
    const small = { ...look, name: "glance", isRare: true as const };
    assert.deepEqual(chooseTools([look, small], []).shown, [look, small]);
  });

  it("are found, called, called again in a later turn, and called by those who no longer look", async () => {
    const first = scriptedModel(calls(["find_tools", '{"query":"post_letter"}'], viaCall("one")), says("Done."));
    const { journal } = await play(turnInput({ tools }), turnDeps(first));
    const [found = "", called] = resultsOf(journal);
    assert.match(found, /"name":"post_letter",.*"input":\{"type":"object","properties":\{"title"/);
    assert.equal(called, "post_letter one");

    const turnId = brandAs<TurnId>("turn-2");
    const later = turnInput({ tools, turnId, history: journal, journal: [said("again")] });
    const second = scriptedModel(calls(viaCall("two"), ["post_letter", '{"title":"three"}']), says("Done."));
    const played = await play(later, turnDeps(second));
    assert.deepEqual(resultsOf(played.journal), ["post_letter two", "post_letter three"]);
    assert.deepEqual(second.requests[0]?.tools, first.requests[0]?.tools, "the request begins as before");
  });

  it("are called after a compression as before it", async () => {
    const long = Array.from({ length: 6 }, (_, index) => said(`${index} ${"and so on ".repeat(1_000)}`));
    const first = await play(
      turnInput({ tools, journal: [...long, said("post it")] }),
      turnDeps(scriptedModel(calls(["find_tools", '{"query":"post"}'], viaCall("one")), says("Done."))),
    );
    const turnId = brandAs<TurnId>("turn-2");
    const model = scriptedModel(calls(viaCall("two"), ["post_letter", '{"title":"three"}']), says("Done."));
    const input = turnInput({ tools, turnId, history: first.journal, journal: [said("again")], compact: true });
    const { journal } = await play(input, turnDeps(model));
    assert.ok(journal.some(({ kind }) => kind === "checkpoint"));
    assert.deepEqual(resultsOf(journal), ["post_letter two", "post_letter three"]);
    assert.deepEqual(namesIn(model.requests[0]), ["call_tool", "find_tools", "look"]);
  });

  it("tell how they are called to those who guess it", async () => {
    const guesses = [viaCall("a"), ["call_tool", '{"name":"post_letter","input":{"to":"Ada"}}'] as const];
    const model = scriptedModel(calls(...guesses, ["post_letter", "{}"], ["look", '{"of":1}']), says("No."));
    const { journal } = await play(turnInput({ tools }), turnDeps(model));
    const [fine, ...wrong] = resultsOf(journal);
    assert.equal(fine, "post_letter a");
    const input = /not valid\.[\s\S]*\nIts input: \{"type":"object","properties":\{"title":/;
    for (const result of wrong.slice(0, 2)) assert.match(result, input);
    assert.doesNotMatch(wrong[2] ?? "", /Its input/);
  });

  it("are decided about as themselves, whichever way they are called", async () => {
    for (const call of [viaCall("a"), ["post_letter", '{"title":"a"}'] as const]) {
      const asked: AskedCall[] = [];
      const authorise = (one: AskedCall) => {
        asked.push(one);
        return { decision: "deny", rule: "r", reason: "Letters are not for you." } as const;
      };
      const model = scriptedModel(calls(call), says("No."));
      const { journal } = await play(turnInput({ tools }), turnDeps(model, { authorise }));
      assert.deepEqual(
        asked.map(({ tool: one, call: { name }, input }) => [one, name, input]),
        [[post, "post_letter", { title: "a" }]],
      );
      assert.deepEqual(resultsOf(journal), ["Error: not allowed. Letters are not for you."]);
      const stranger = turnInput({ tools, journal: [said("do it", person("9", "claimed"))] });
      const refused = await play(stranger, turnDeps(scriptedModel(calls(call), says("No."))));
      assert.match(resultsOf(refused.journal)[0] ?? "", /^Error: refused\. Somebody who asks here is not verified/);
    }
  });

  it("are none where those who ask have none", async () => {
    const model = scriptedModel(calls(["post_letter", "{}"], viaCall("a")), says("No."));
    const { journal } = await play(turnInput({ tools: [look] }), turnDeps(model));
    assert.deepEqual(
      resultsOf(journal),
      ["post_letter", "call_tool"].map((name) => `Error: there is no tool called "${name}". There is: look`),
    );
    assert.deepEqual(namesIn(model.requests[0]), ["look"]);
  });

  it("leave those of servers where they are, also once they were called by the index", async () => {
    const all = [...tools, served];
    const model = scriptedModel(calls(["find_tools", '{"query":"post"}'], viaCall("a")), says("Done."));
    const { journal } = await play(turnInput({ tools: all, toolTokens: 1_000 }), turnDeps(model));
    const names = ["call_tool", "find_tools", "look", "mcp_shop_order"];
    assert.deepEqual(namesIn(model.requests[0]), names);
    const after = (entries: readonly TranscriptEntry[], toolTokens: number) =>
      chooseTools(all, entries, toolTokens).shown.map(({ name }) => name);
    assert.deepEqual(after(journal, 1_000).toSorted(), names);
    assert.deepEqual(after([], 0).toSorted(), ["call_tool", "find_tools", "look"]);
    assert.match(
      chooseTools(all, [], 0).shown[1]?.description ?? "",
      /post_letter, and those of other services \(without a query, all names\)\. Then/,
    );
    const ordered = JSON.stringify({ name: served.name, input: { title: "b" } });
    const called = await play(
      turnInput({ tools: all, toolTokens: 0 }),
      turnDeps(scriptedModel(calls(["call_tool", ordered]), says("Done."))),
    );
    assert.ok(!after(called.journal, 1_000).includes(served.name), "what was looked for stays behind the index");
  });
});
