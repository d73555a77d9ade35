import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { backfill } from "./backfill.ts";
import { createDiscordClient } from "./client.ts";
import { firstIdAt } from "./cursors.ts";

it("fetches on behind a full page with a message that cannot be read", async () => {
  const after = firstIdAt(systemClock.now());
  const ids = Array.from({ length: 150 }, (_, n) => String(after + BigInt(n + 1)));
  const odd = ids[50];
  const messageOf = (id: string) =>
    id === odd ? { id } : { id, channel_id: "1", content: "x", author: { id: "2", username: "ada" } };
  const server = createServer(({ url }, response) => {
    const from = BigInt(new URL(url ?? "", "http://localhost").searchParams.get("after") ?? "0");
    const page = ids.filter((id) => BigInt(id) > from).slice(0, 100);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(page.map(messageOf).reverse()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createDiscordClient({
    token: "token",
    apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
  });
  const accepted: string[] = [];
  const recorder = { recordMessage: async ({ id }: { readonly id: string }) => void accepted.push(id) };
  const options = { client, clock: systemClock, channelId: "1", after, catchUpMs: 60_000, recorder };
  assert.equal(await backfill(options, new AbortController().signal), "done");
  assert.deepEqual(
    accepted,
    ids.filter((id) => id !== odd),
  );
  await client.close();
  server.close();
  server.closeAllConnections();
});
