import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { MediaAccess, ToolResult } from "@talaria/agent";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { createSendFiles } from "./send-file.ts";
import { startLocalWorkspace } from "./testing/local-workspace.ts";
import { call, contextOf, mediaInMemory } from "./testing/tool-call.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function world(programs?: readonly string[]) {
  const workspace = await startLocalWorkspace(programs);
  const media = mediaInMemory();
  const tool = createSendFiles({ maxBytes: 100_000, maxPerMessage: 10, maxCaptionLength: 100 });
  const put = async (name: string, content: string | Uint8Array) => {
    const path = join(workspace.folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, content);
  };
  return {
    put,
    workspace,
    send: (input: object) => call(tool, input, contextOf({ workspace, media })),
    bytesOf: ({ reply }: ToolResult) =>
      (reply?.attachments ?? []).map(({ ref }) => Buffer.from(media.kept.get(ref)?.bytes ?? [])),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

const namesOf = ({ reply }: ToolResult) => (reply?.attachments ?? []).map(({ name }) => name);

describe("send_file in a workspace", () => {
  it("sends files of any type, several at once, byte for byte", async () => {
    await using here = await world();
    await here.put("out/chart.png", png);
    await here.put("clean.csv", "a,b\n1,2\n");
    const result = await here.send({ paths: ["out/chart.png", "./clean.csv"] });
    assert.deepEqual(namesOf(result), ["chart.png", "clean.csv"]);
    assert.deepEqual(
      result.reply?.attachments?.map(({ mimeType }) => mimeType),
      ["image/png", "text/csv"],
    );
    assert.deepEqual(here.bytesOf(result), [png, Buffer.from("a,b\n1,2\n")]);
    assert.match(result.content, /"chart\.png" \(image\/png, \d+ bytes\) goes out/);
    assert.deepEqual(namesOf(await here.send({ paths: ["clean.csv"], name: "for you.csv" })), ["for you.csv"]);
  });

  for (const [programs, ending] of [
    [["env", "sh", "dirname", "basename", "mkdir", "rm", "mv", "zip"], "zip"],
    [["env", "sh", "dirname", "basename", "mkdir", "rm", "mv", "python3"], "zip"],
    [["env", "sh", "dirname", "basename", "mkdir", "rm", "mv", "tar", "gzip"], "tar.gz"],
  ] as const) {
    it(`sends a folder as an archive, by ${programs.at(-1) === "gzip" ? "tar" : programs.at(-1)}`, async (test) => {
      await using here = await world(programs);
      await here.put("site/index.html", "<p>hello</p>");
      await here.put("site/img/dot.png", png);
      await here.put(`.output/c1.${ending}`, "half of one, of a worker that died");
      await symlink("/etc/passwd", join(here.workspace.folder, "site/link"));
      const result = await here.send({ paths: ["site"] }).catch((error: unknown) => {
        if (isGatewayError(error) && /not found/.test(error.message)) return test.skip(error.message);
        throw error;
      });
      if (result === undefined) return;
      assert.deepEqual(namesOf(result), [`site.${ending}`]);
      assert.equal(here.bytesOf(result)[0]?.toString("latin1", 0, 2), ending === "zip" ? "PK" : "\x1f\x8b");
      assert.deepEqual(await here.workspace.list(".output", 10), [], "nothing of it stays");
      await symlink("site", join(here.workspace.folder, "linked"));
      assert.ok((here.bytesOf(await here.send({ paths: ["linked"] }))[0]?.byteLength ?? 0) > 300, "what a link means");
    });
  }

  it("sends what is larger than a workspace gives at once, a few MB of it held at a time", async () => {
    await using here = await world();
    const bytes = randomBytes(40_000_000);
    await here.put("film.bin", bytes);
    const media = mediaInMemory();
    const held: number[] = [];
    const put: MediaAccess["put"] = (content, mimeType, signal) => {
      assert.ok(!(content instanceof Uint8Array));
      const counted = async function* () {
        for await (const piece of content) {
          held.push(piece.byteLength);
          yield piece;
        }
      };
      return media.put(counted(), mimeType, signal);
    };
    const tool = createSendFiles({ maxBytes: 100_000_000, maxPerMessage: 10, maxCaptionLength: 100 });
    const context = contextOf({ workspace: here.workspace, media: { ...media, put } });
    const [sent] = (await call(tool, { paths: ["film.bin"] }, context)).reply?.attachments ?? [];
    assert.ok(bytes.equals(media.kept.get(sent?.ref ?? "")?.bytes ?? Buffer.alloc(0)));
    assert.ok(Math.max(...held) <= 4 * 1_024 * 1_024, "never whole");
  });

  it("refuses what changes while it is read, and names the operator's limit where that is the smaller one", async () => {
    await using here = await world();
    await here.put("log.txt", Buffer.alloc(9_000, 65));
    const tool = createSendFiles({ maxBytes: 100_000, maxPerMessage: 10, maxCaptionLength: 100 });
    const send = (media: MediaAccess) =>
      call(tool, { paths: ["log.txt"] }, contextOf({ workspace: here.workspace, media }));
    const memory = mediaInMemory();
    const late: MediaAccess["put"] = async (content, mimeType, signal) => {
      await here.put("log.txt", Buffer.alloc(9_001, 66));
      return await memory.put(content, mimeType, signal);
    };
    await assert.rejects(send({ ...memory, put: late }), /log\.txt changed while it was read: send it once nothing/);
    const details = { reason: "bytes", limit: 5_000 };
    const put = () => Promise.reject(new GatewayError("larger than allowed", { code: "too_large", details }));
    await assert.rejects(send({ ...memory, put }), /log\.txt has 9001 bytes, and at most 5000 can be sent here/);
    const never = () => assert.fail("what is known to be too large is not kept");
    await here.put("log.txt", Buffer.alloc(200_000, 65));
    await assert.rejects(
      send({ ...memory, put: never, mostBytes: 5_000 }),
      /has 200000 bytes, and at most 5000 can be sent here \(media\.maxBytes; its operator may raise that, this platform takes 100000\): make/,
    );
  });

  it("says what is too large, missing, outside, or not one thing", async () => {
    await using here = await world();
    await here.put("large.bin", Buffer.alloc(100_001, 7));
    await assert.rejects(here.send({ paths: ["large.bin"] }), (error) => {
      assert.ok(isGatewayError(error, "too_large"));
      return /100001 bytes, and at most 100000 can be sent here \(the limit of this platform\): make it smaller/.test(
        error.message,
      );
    });
    await here.put("empty.txt", "");
    await assert.rejects(here.send({ paths: ["empty.txt"] }), /empty\.txt is empty: there is nothing to send/);
    await assert.rejects(
      here.send({ paths: ["missing.txt"] }),
      /missing\.txt does not exist.*; paths count from \/.*, wherever the shell/,
    );
    await assert.rejects(here.send({ paths: ["/etc/passwd"] }), /leads out of the workspace/);
    await assert.rejects(
      here.send({ paths: ["large.bin"], content: "x", name: "y" }),
      /one of content, attachment and/,
    );
    await assert.rejects(here.send({ content: "x" }), /a new file needs a name/);
  });
});
