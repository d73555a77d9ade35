import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type MediaRef, silentLog } from "@talaria/protocol";
import { Inbox, inboxPathOf } from "./inbox.ts";
import type { KnownFile } from "./media.ts";
import type { Workspace } from "./workspace.ts";

const none = new AbortController().signal;
const digits = (start: string) => start.padEnd(64, "0");

function sent(start: string, name: string | undefined, content: string): KnownFile & { readonly content: string } {
  const ref = brandAs<MediaRef>(`sha256:${digits(start)}`);
  const named = name === undefined ? {} : { name };
  return {
    id: start,
    ref,
    kind: "file",
    mimeType: "text/csv",
    byteLength: content.length,
    isSent: true,
    content,
    ...named,
  };
}

function world(
  all: readonly (KnownFile & { readonly content: string })[],
  there: Readonly<Record<string, string>> = {},
) {
  const disk = new Map(Object.entries(there));
  const marked: string[] = [];
  const state = { lists: 0, full: false, longest: 0 };
  const workspace = {
    folder: "/workspace",
    list: async (path: string) => {
      state.lists += 1;
      const below = [...disk.keys()].filter((name) => name.startsWith(`${path}/`));
      if (below.length === 0) throw new GatewayError(`${path} does not exist`, { code: "invalid_request" });
      return [...new Set(below.map((name) => name.slice(path.length + 1).split("/")[0]))].map((name) => ({ name }));
    },
    write: async (path: string, content: AsyncIterable<Uint8Array>) => {
      if (state.full) throw new GatewayError("5 bytes do not fit", { code: "invalid_request" });
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      state.longest = Math.max(state.longest, ...pieces.map(({ byteLength }) => byteLength));
      disk.set(path, Buffer.concat(pieces).toString());
    },
  } as unknown as Workspace;
  const inbox = () =>
    new Inbox({
      log: silentLog,
      files: { markPath: async (path) => void marked.push(path) },
      media: {
        read: async (ref, { offset, length }) => {
          const found = all.find((file) => file.ref === ref);
          if (found === undefined) throw new GatewayError("gone", { code: "not_found" });
          return Buffer.from(found.content).subarray(offset, offset + length);
        },
        put: () => Promise.reject(new Error("nothing is put")),
      },
    });
  return { disk, marked, state, workspace, inbox };
}

const pathOf = (file: Parameters<typeof inboxPathOf>[0]) => inboxPathOf(file) ?? "";

describe("the inbox", () => {
  const table = sent("aa11", "table.csv", "a,b");

  it("gives every content a folder of its own, and a harmless name", () => {
    assert.match(pathOf(table), /^inbox\/[0-9a-f]{8}\/table\.csv$/);
    assert.match(pathOf({ ...table, name: "../../etc/passwd" }), /^inbox\/[0-9a-f]{8}\/passwd$/);
    assert.match(pathOf({ ref: table.ref, mimeType: "image/jpeg" }), /^inbox\/[0-9a-f]{8}\/file\.jpg$/);
    assert.equal(inboxPathOf({ ...table, ref: brandAs<MediaRef>("telegram:7") }), undefined);
  });

  it("puts what people sent where tools work, marked as a stranger's before it is there", async () => {
    const { disk, marked, workspace, inbox } = world([table]);
    assert.deepEqual(await inbox().bring(workspace, [table], none), []);
    assert.deepEqual([...disk], [[pathOf(table), "a,b"]]);
    assert.deepEqual(marked, ["inbox"]);
  });

  it("puts one content there under each name that it was sent by", async () => {
    const { disk, workspace, inbox } = world([table]);
    const renamed = { ...table, name: "june.csv" };
    await inbox().bring(workspace, [table, renamed], none);
    assert.deepEqual([...disk.keys()], [pathOf(table), pathOf(renamed)]);
  });

  it("leaves alone what was put there earlier, whatever became of it", async () => {
    const { disk, workspace, inbox } = world([table], { [pathOf(table)]: "changed" });
    await inbox().bring(workspace, [table], none);
    assert.equal(disk.get(pathOf(table)), "changed");
  });

  it("puts there again what is missing in its folder: a writer died halfway, or somebody deleted it", async () => {
    const folder = pathOf(table).slice(0, "inbox/00000000".length);
    const { disk, workspace, inbox } = world([table], {
      [`${folder}/.write-1a`]: "a",
      [`${folder}/notes.txt`]: "mine",
    });
    assert.deepEqual(await inbox().bring(workspace, [table], none), []);
    assert.equal(disk.get(pathOf(table)), "a,b");
    assert.equal(disk.get(`${folder}/notes.txt`), "mine");
  });

  it("takes a folder for whole that shows not all it holds", async () => {
    const folder = pathOf(table).slice(0, "inbox/00000000".length);
    const crowd = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${folder}/${n}`, ""]));
    const { disk, workspace, inbox } = world([table], crowd);
    await inbox().bring(workspace, [table], none);
    assert.equal(disk.has(pathOf(table)), false);
  });

  it("looks once in a turn, and not at all where nobody has sent anything", async () => {
    const more = sent("bb22", "more.csv", "c");
    const { disk, state, workspace, inbox } = world([table, more]);
    const turn = inbox();
    const { isSent: _, ...made } = table;
    await turn.bring(
      workspace,
      [made, { ...more, unopened: { accountId: brandAs("a"), eventId: brandAs("e"), n: 0 } }],
      none,
    );
    assert.deepEqual([state.lists, disk.size], [0, 0]);
    await Promise.all([turn.bring(workspace, [table], none), turn.bring(workspace, [table, more], none)]);
    assert.deepEqual([state.lists, disk.size], [1, 2]);
  });

  it("says once what can't be put there, and goes on with the others", async () => {
    const gone = sent("cc33", "gone.csv", "x");
    const short = { ...sent("dd44", "short.iso", "ab"), byteLength: 40_000_000 };
    const { disk, workspace, inbox } = world([table, short]);
    const turn = inbox();
    const problems = await turn.bring(workspace, [gone, short, table], none);
    assert.deepEqual(problems, [
      `${pathOf(gone)} is missing: it is no longer kept`,
      `${pathOf(short)} is missing: it is no longer kept`,
    ]);
    assert.equal(disk.size, 1);
    assert.deepEqual(await turn.bring(workspace, [gone, short, table], none), []);
  });

  it("puts a large one there piece by piece", async () => {
    const film = sent("ee55", "film.mp4", "x".repeat(40_000_000));
    const { disk, state, workspace, inbox } = world([film]);
    assert.deepEqual(await inbox().bring(workspace, [film], none), []);
    assert.equal(disk.get(pathOf(film))?.length, 40_000_000);
    assert.ok(state.longest <= 4 * 1_024 * 1_024, "never whole");
  });

  it("tries again with the next turn what the workspace had no room for", async () => {
    const { disk, state, workspace, inbox } = world([table]);
    state.full = true;
    assert.match((await inbox().bring(workspace, [table], none))[0] ?? "", /table\.csv is missing: 5 bytes do not fit/);
    state.full = false;
    assert.deepEqual(await inbox().bring(workspace, [table], none), []);
    assert.equal(disk.size, 1);
  });

  it("puts nothing there where nobody can keep that it is a stranger's", async () => {
    const { disk, workspace } = world([table]);
    const files = { markPath: () => Promise.reject(new GatewayError("away", { code: "unavailable" })) };
    const read = async () => Buffer.from("a,b");
    const inbox = new Inbox({ log: silentLog, files, media: { read, put: () => Promise.reject(new Error("none")) } });
    await assert.rejects(inbox.bring(workspace, [table], none), /away/);
    assert.equal(disk.size, 0);
  });
});
