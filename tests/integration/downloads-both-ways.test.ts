import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { inboxPathOf } from "@talaria/agent";
import { stopTestPostgres } from "@talaria/postgres";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { callTool, hold, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { report } from "../../packages/sandbox/src/testing/registries.ts";
import { DeskFleet, hasWorked } from "../support/desk-fleet.ts";
import { isInOwnNetwork, passInOwnNetwork, peerAddress, skipWithoutNetworks } from "../support/own-network.ts";
import { type PublicPeer, startPublicPeer } from "../support/public-peer.ts";

const skip = skipWithoutPeers(undefined) || skipWithoutNetworks;
const digest = createHash("sha256").update(report).digest("hex");
const path =
  inboxPathOf({
    ref: brandAs<MediaRef>(`sha256:${digest}`),
    name: "report.bin",
    mimeType: "application/octet-stream",
  }) ?? "";
const names = { "pages.example.org": peerAddress };

if (!isInOwnNetwork)
  it("files of pages, on Telegram, on Slack and in the console", { skip }, ({ signal }) =>
    passInOwnNetwork(import.meta.filename, names, signal),
  );
else
  describe("a page's download, the worker killed after it", () => {
    let house: DeskFleet;
    let peer: PublicPeer;
    let folder: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "peer-"));
      peer = await startPublicPeer(folder, { files: "pages.example.org", elsewhere: "pages.example.org" });
      const program = process.env.TALARIA_CHROMIUM;
      const browser = program === undefined ? "enabled: true" : `enabled: true, executable: ${program}`;
      house = await DeskFleet.start(`browser: { ${browser} }\n`);
    });
    after(async () => {
      await house?.[Symbol.asyncDispose]();
      await peer?.[Symbol.asyncDispose]();
      await stopTestPostgres();
      await rm(folder, { recursive: true, force: true });
    });

    for (const [tool, words] of [
      ["web_fetch", "fetch the report"],
      ["browser_open", "open the report"],
    ] as const)
      it(`${tool}: it lies in the inbox of the worker that takes over, and is handed on`, async () => {
        const middle = Promise.withResolvers<void>();
        for (const { name } of house.desks)
          house.plan.answer(
            `${name}: ${words}`,
            callTool(tool, { url: "http://pages.example.org/report.bin" }),
            [...hold(middle.promise), ...say("never said")],
            callTool("terminal", { command: `wc -c <${path}; sha256sum ${path}` }),
            callTool("send_file", { paths: [path] }),
            say(`${name}: here is what ${tool} brought.`),
          );
        const before = peer.asked.length;
        for (const desk of house.desks) await desk.send(`${desk.name}: ${words}`);
        await house.killedWhen(hasWorked, words);
        middle.resolve();
        for (const { name, answered, received } of house.desks) {
          await answered(`${name}: here is what ${tool} brought.`);
          const results = house.resultsOf(`${name}: ${words}`);
          assert.match(results[1] ?? "", /kept as file [0-9a-f]{12}, application\/octet-stream, \d+ bytes/, name);
          assert.ok(results[1]?.includes(path), `${name}: ${results[1]}`);
          assert.ok(results[3]?.includes(`${report.length}\n${digest}`), `${name}: ${results[3]}`);
          assert.deepEqual(await received("report.bin"), report, name);
        }
        const asked = peer.asked.slice(before).filter((line) => line === "pages.example.org /report.bin");
        assert.equal(asked.length, house.desks.length, "once for each, and not again by the second worker");
      });
  });
