import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "../journal.ts";
import { person, said } from "../turn.fixture.ts";
import { stateOf } from "./state-of.ts";

function replied(content: string): TranscriptEntry {
  return { kind: "assistant", content, toolCalls: [], model: "m", stop: "end" };
}

function planned(plan: string): readonly TranscriptEntry[] {
  const call = { callId: "p1", name: "todo", arguments: "{}" };
  return [
    { kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tool_calls" },
    {
      kind: "tool.result",
      callId: "p1",
      name: "todo",
      content: "ok",
      isError: false,
      did: [{ kind: "planned", plan }],
    },
  ];
}

/** From what a checkpoint of the smallest window has on. */
const rooms = Array.from({ length: 40 }, (_, index) => 200 + index * 20);

describe("what is known of work that is no longer shown, in little room", () => {
  it("has the newest reply, and none of which nothing is left", () => {
    const entries = [said("one"), replied("answer 1"), said("two"), replied("answer 2")];
    for (const room of rooms) {
      const { said: kept, leftOut } = stateOf(entries, room);
      const replies = kept.flatMap((one) => (one.kind === "replied" ? [one.text] : []));
      assert.equal(replies.at(-1), "answer 2", `${room}: ${JSON.stringify(kept)}`);
      assert.ok(!replies.includes(""), `${room}: ${JSON.stringify(kept)}`);
      assert.equal(kept.length + leftOut.said, 4);
    }
  });

  it("has the newest reply also when somebody has asked since, and others talk", () => {
    const heard = Array.from({ length: 5 }, (_, n) => said(`talk ${n} ${"and so on ".repeat(30)}`, person(`p${n}`)));
    const entries = [said("one"), replied("answer 1"), ...heard];
    for (const room of rooms) {
      const { said: kept } = stateOf(entries, room);
      assert.ok(
        kept.some((one) => one.kind === "replied" && one.text === "answer 1"),
        `${room}`,
      );
      assert.ok(
        kept.some((one) => one.kind === "user" && one.markdown.startsWith("talk 4")),
        `${room}`,
      );
      assert.ok(!kept.some((one) => one.kind !== "replied" && one.markdown === ""), `${room}: ${JSON.stringify(kept)}`);
    }
  });

  it("has everybody's short words, the first ones above all, beside somebody's long ones", () => {
    const never = "remember: never ever write to the server named Saturn";
    const talk = Array.from({ length: 12 }, (_, n) => [
      said(`fact ${n} is ${n * 7}`),
      replied(`Noted ${n}. ${"I see. ".repeat(100)}`),
      said(`long ${n} ${"and so on ".repeat(400)}`),
      replied("Read."),
    ]).flat();
    const wordsIn = (room: number) =>
      stateOf([said(never), replied("I will."), ...talk, said("and now?")], room)
        .said.flatMap((one) => (one.kind === "replied" ? [] : [one.markdown]))
        .join("\n");
    const wide = wordsIn(4_500);
    assert.ok(wide.includes(never));
    for (let n = 0; n < 12; n += 1) assert.ok(wide.includes(`fact ${n} is ${n * 7}`), `fact ${n} in ${wide}`);
    for (const room of rooms.filter((tokens) => tokens >= 700)) {
      assert.ok(wordsIn(room).includes(never), String(room));
      assert.ok(wordsIn(room).endsWith("and now?"));
    }
  });

  it("has what a job has found out: the ends of outputs, short results, and what was said between calls", () => {
    const step = (n: number): readonly TranscriptEntry[] => {
      const call = { callId: `c${n}`, name: n % 2 === 0 ? "terminal" : "count", arguments: `{"n":${n}}` };
      const content = n % 2 === 0 ? `part ${n}: ${"noise ".repeat(300)}total ${n * 1_001}` : `${n * 1_001}`;
      const did = n % 2 === 0 ? [{ kind: "ran", command: `count ${n}`, end: "exit code 0" } as const] : [];
      return [
        { kind: "assistant", content: `Part ${n} is done.`, toolCalls: [call], model: "m", stop: "tool_calls" },
        { kind: "tool.result", callId: call.callId, name: call.name, content, isError: false, did },
      ];
    };
    const steps = Array.from({ length: 20 }, (_, n) => step(n + 1)).flat();
    const { commands, calls, remarks = [], leftOut } = stateOf([said("count all"), ...steps], 4_000);
    assert.deepEqual(leftOut, { said: 0, files: 0, commands: 0, calls: 0 });
    for (let n = 1; n <= 20; n += 1) {
      const found = n % 2 === 0 ? commands.map(({ end }) => end) : calls;
      assert.ok(
        found.some((line) => line.endsWith(` ${n * 1_001}`)),
        `${n} in ${found.join("\n")}`,
      );
      if (n % 2 === 0) assert.ok(found.some((line) => line.includes(`: part ${n}: noise`)));
      assert.ok(remarks.includes(`Part ${n} is done.`));
    }
    const [call, result] = step(3);
    assert.ok(call !== undefined && result?.kind === "tool.result");
    const foreign = stateOf([said("go"), call, { ...result, untrusted: true }], 1_000);
    assert.match(foreign.calls.join("\n"), /-> 4 characters$/, "a stranger's words stay out");
  });

  it("has the newest plan, and the beginning and end of a long one", () => {
    for (const room of rooms) {
      const short = stateOf([said("go"), ...planned("1. read (done)\n2. write")], room);
      assert.equal(short.plan, "1. read (done)\n2. write", String(room));
      const long = Array.from({ length: 60 }, (_, n) => `${n}. step number ${n}`).join("\n");
      assert.match(
        stateOf([said("go"), ...planned(long)], room).plan ?? "",
        /^0\. step[\s\S]+number 59$/,
        String(room),
      );
    }
  });

  it("has the files that were changed rather than those that were read since", () => {
    const did = (kind: "read" | "changed", path: string) => ({ kind, path, digest: "d" }) as const;
    const all = [did("changed", "w.txt"), ...Array.from({ length: 200 }, (_, n) => did("read", `data/part-${n}.txt`))];
    const [call, result] = planned("none");
    assert.ok(call !== undefined && result?.kind === "tool.result");
    const entries = [said("go"), call, { ...result, did: all }];
    for (const room of rooms) {
      const { files, leftOut } = stateOf(entries, room);
      assert.equal(files.length + leftOut.files, all.length);
      assert.deepEqual(files[0], did("changed", "w.txt"), String(room));
      const read = files.slice(1).map(({ path }) => path);
      assert.deepEqual(
        read,
        all.slice(all.length - read.length).map(({ path }) => path),
      );
    }
  });
});
