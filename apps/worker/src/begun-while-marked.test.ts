import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BackgroundProcess, CommandResult } from "@talaria/agent";
import { brandAs, type SessionKey, silentLog } from "@talaria/protocol";
import type { MarkedFiles } from "@talaria/store";
import { BegunWhileMarked } from "./begun-while-marked.ts";

const key = brandAs<SessionKey>("s");

interface Running {
  readonly process: BackgroundProcess;
  /** Resolves once everybody who waits for its end was served. */
  end(): Promise<void>;
}

/** A workspace with its marks, as an owner and turns change them. */
function session() {
  const workspace = {
    all: [] as BackgroundProcess[],
    newShells: 0,
    processes: () => workspace.all,
    newShell: async () => {
      workspace.newShells += 1;
    },
  };
  const now: { marks: MarkedFiles; isAway: boolean } = { marks: [], isAway: false };
  const begun = new BegunWhileMarked({
    of: async () => {
      if (now.isAway) throw new Error("the database is away");
      return now.marks;
    },
    opened: (one) => (one === key ? workspace : undefined),
    log: silentLog,
  });
  const start = (): Running => {
    const { promise: ended, resolve } = Promise.withResolvers<CommandResult["end"]>();
    const process = { id: `p${workspace.all.length + 1}`, ended } as {
      -readonly [Key in keyof BackgroundProcess]: BackgroundProcess[Key];
    };
    workspace.all.push(process);
    return {
      process,
      end: async () => {
        process.end = { kind: "exit", code: 0 };
        resolve(process.end);
        await new Promise(setImmediate);
      },
    };
  };
  const look = () => begun.look(key, now.marks);
  const markedTurn = (during: () => void = () => undefined) => {
    now.marks = "all";
    during();
    begun.note(key, now.marks);
  };
  const reads = (id?: string) => begun.reads(key, id === undefined ? undefined : [`process:${id}`]);
  return { workspace, now, begun, start, look, markedTurn, reads };
}

describe("what was begun while files were marked", () => {
  it("is left alone as long as they are marked, and where they never were", async () => {
    const { workspace, start, look, markedTurn, reads } = session();
    start();
    assert.equal(await look(), false);
    markedTurn();
    assert.equal(await look(), false);
    assert.deepEqual([workspace.newShells, reads("p1")], [0, false]);
  });

  it("loses its shell once when they are cleared", async () => {
    const { workspace, now, look, markedTurn } = session();
    markedTurn();
    now.marks = [];
    assert.deepEqual([await look(), await look(), workspace.newShells], [false, false, 1]);
  });

  it("brings the marks back while a process runs, and where one ended after they were cleared", async () => {
    for (const isEnded of [false, true]) {
      const { now, start, look, markedTurn } = session();
      let running: Running | undefined;
      markedTurn(() => {
        running = start();
      });
      now.marks = [];
      if (isEnded) await running?.end();
      assert.equal(await look(), true);
    }
  });

  it("is cleared with its files where it had ended before, and its output is still a stranger's", async () => {
    const { now, start, look, markedTurn, reads } = session();
    let inTurn: Running | undefined;
    let later: Running | undefined;
    markedTurn(() => {
      inTurn = start();
      later = start();
      void inTurn.end();
    });
    await later?.end();
    now.marks = [];
    assert.equal(await look(), false);
    start();
    assert.deepEqual(["p1", "p2", "p3", undefined].map(reads), [true, true, false, true]);
  });

  it("counts as running on where nobody could tell", async () => {
    const { now, start, look, markedTurn } = session();
    let running: Running | undefined;
    markedTurn(() => {
      running = start();
    });
    now.isAway = true;
    await running?.end();
    now.isAway = false;
    now.marks = [];
    assert.equal(await look(), true);
  });

  it("is nothing in a session that has no workspace here", async () => {
    const { begun } = session();
    const other = brandAs<SessionKey>("other");
    begun.note(other, "all");
    assert.deepEqual([await begun.look(other, []), begun.reads(other, ["process:p1"])], [false, false]);
  });
});
