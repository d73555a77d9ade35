import assert from "node:assert/strict";
import { connect } from "node:net";
import { it } from "node:test";
import { type RedisServer, redisAvailable, startRedisServer } from "./redis-server.ts";

const skip = (await redisAvailable()) ? false : "redis-server is not installed";

it("says clearly that Redis is not installed", async () => {
  assert.equal(await redisAvailable("/nowhere"), false);
  await assert.rejects(startRedisServer({ path: "/nowhere" }), /redis-server was not found in PATH/);
});

it("starts a Redis that evicts nothing, and stops it without a trace", { skip }, async () => {
  await using redis = await startRedisServer();
  const pid = redis.pid();
  assert.ok(pid);
  assert.match(await ask(redis, "CONFIG GET maxmemory-policy"), /noeviction/);
  await redis.stop();
  await redis.stop();
  assert.equal(redis.pid(), undefined);
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
  await assert.rejects(ask(redis, "PING"));
});

it("comes back empty on the same port after a crash, or with its data when persistent", { skip }, async () => {
  for (const persistent of [false, true]) {
    await using redis = await startRedisServer({ persistent });
    await ask(redis, "SET colour green");
    await redis.kill();
    await assert.rejects(ask(redis, "GET colour"));
    await redis.restart();
    assert.equal((await ask(redis, "GET colour")).includes("green"), persistent);
  }
});

/** One inline command; the first piece of the answer. */
function ask(redis: RedisServer, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(redis.port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.once("error", reject);
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString("utf8"));
    });
  });
}
