import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { it } from "node:test";
import { unreadyParts } from "./unready-parts.ts";

const here = [{ kind: "gateway", host: hostname() }] as const;

/** What is made of this answer of a gateway. Undefined: it answers nothing. */
async function partsOf(body: string | undefined, living: Parameters<typeof unreadyParts>[1] = here) {
  const server = createServer((_, response) => (body === undefined ? undefined : response.writeHead(503).end(body)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return (await unreadyParts(async () => url, living, body === undefined ? 50 : 5_000)).map(({ line }) => line);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const failing = (...parts: readonly object[]) => JSON.stringify({ ready: false, failing: parts });

for (const [what, body, line] of [
  [
    "a full disk",
    failing({ name: "database", detail: "the disk of the database is full" }, { name: "worker", detail: "none" }),
    "the database takes no messages, the disk of the database is full: free space there, and messages are taken again",
  ],
  [
    "a database that hangs",
    failing({ name: "database", detail: "no answer within 2000 ms" }),
    "the database takes no messages, no answer within 2000 ms: check its server and its disk",
  ],
  [
    "Redis that is gone",
    failing({ name: "queue", detail: "connection refused" }),
    "the queue doesn't answer, connection refused: check its server and REDIS_URL",
  ],
  [
    "a gateway that hangs",
    undefined,
    "the gateway doesn't answer at /readyz: the log says why; `talaria start` begins it anew when it hangs",
  ],
] as const)
  it(`tells ${what} with the remedy`, async () => assert.deepEqual(await partsOf(body), [line]));

it("asks no gateway of another machine, and makes nothing of a foreign answer", async () => {
  assert.deepEqual(await partsOf(undefined, [{ kind: "gateway", host: "elsewhere" }]), []);
  assert.deepEqual(await partsOf('{"failing":"x"}'), []);
  assert.deepEqual(await partsOf(failing()), []);
});
