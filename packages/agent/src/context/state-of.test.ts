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
