import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { Children } from "./children.ts";

/** Loading and connecting twice over, on a machine that has other things to do. */
const patienceMs = 120_000;

describe("gateway and workers whose database takes nobody when they are to serve", () => {
  for (const [sqlState, words] of [
    ["53300", /^waiting: the database takes no more connections: .*max_connections/],
    ["57P03", /^waiting: the database is starting or shutting down/],
  ] as const)
    it(`wait for ${sqlState}, say so once, and serve when it has passed`, async () => {
      await using world = await prepared(2);
      const { children, plan, door, said } = world;
      door.refuse(sqlState);
      const started = children.start(plan).then(
        () => "served",
        (error: Error) => error.message,
      );
      const waits = () => said.filter((line) => words.test(line));
      await waitFor(() => waits().length > 0, "a word about it", patienceMs);
      await waitFor(() => door.refused >= 6, "each of them to have tried twice", patienceMs);
      door.admit();
      assert.equal(await started, "served", await world.log());
      assert.deepEqual(waits().length, said.length - world.saidBefore, said.join("\n"));
      assert.equal(waits().length, 1);
    });

  it("end at once when that does not pass by itself", async () => {
    await using world = await prepared(1);
    world.door.refuse("28P01");
    await assert.rejects(world.children.start(world.plan), /refused the login/);
  });

  it("end when they are stopped while they wait", async () => {
    await using world = await prepared(1);
    world.door.refuse("57P03");
    const started = assert.rejects(world.children.start(world.plan));
    await waitFor(() => world.said.length > world.saidBefore, "a word about it", patienceMs);
    await world.children.stop();
    await started;
  });
});

/** Children that have prepared an installation on a database behind a door. */
async function prepared(workers: number) {
  const closing = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  closing.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const database = await createTestDatabase();
  closing.defer(() => database.drop());
  const door = closing.use(await openDoor(database.url));
  const home = join(folder, "home");
  await mkdir(home, { mode: 0o700 });
  const config = join(folder, "config.yaml");
  await writeFile(config, `gateway: { port: 0 }\nworkers: { processes: ${workers} }\n`);
  const logFile = await open(join(folder, "log"), "a");
  closing.defer(() => logFile.close());
  const { REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
  const env = { ...inherited, TALARIA_HOME: home, TALARIA_CONFIG: config, DATABASE_URL: door.url, LOG_LEVEL: "warn" };
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const children = new Children({ env, logFile: logFile.fd, say, serves: () => undefined, reports: () => undefined });
  closing.defer(() => children.stop());
  const plan = await children.prepare();
  return {
    ...{ children, plan, door, said, saidBefore: said.length },
    log: () => readFile(join(folder, "log"), "utf8"),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Before a PostgreSQL: hands everything on, or answers a connection as a server does that takes nobody. */
async function openDoor(address: string) {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  let sqlState: string | undefined;
  let refused = 0;
  const server = createServer((caller) => {
    sockets.add(caller);
    caller.on("close", () => sockets.delete(caller)).on("error", () => caller.destroy());
    if (sqlState === undefined) {
      const inside = connect(Number(port), hostname);
      inside.on("close", () => caller.destroy()).on("error", () => caller.destroy());
      caller.on("close", () => inside.destroy());
      caller.pipe(inside).pipe(caller);
      return;
    }
    refused += 1;
    const answer = refusal(sqlState);
    caller.once("data", () => caller.end(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(address);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    get refused() {
      return refused;
    },
    refuse(state: string) {
      sqlState = state;
      cut();
    },
    admit() {
      sqlState = undefined;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}

/** ErrorResponse: https://www.postgresql.org/docs/18/protocol-message-formats.html */
function refusal(sqlState: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlState}\0Mno\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
