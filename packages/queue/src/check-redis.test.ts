import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { type RedisServer, startRedisServer } from "@talaria/testkit";
import { Redis } from "ioredis";
import { checkRedis } from "./index.ts";
import { judge } from "./redis/check-server.ts";

describe("checkRedis", () => {
  let server: RedisServer;
  let admin: Redis;
  before(async () => {
    server = await startRedisServer();
    admin = new Redis(server.url);
  });
  after(async () => {
    admin.disconnect();
    await server.stop();
  });
  const check = (url = server.url) => checkRedis(url, AbortSignal.timeout(120_000));
  beforeEach(async () => {
    await admin.config("SET", "maxmemory-policy", "noeviction");
  });

  it("accepts a server that keeps its keys", async () => {
    await check();
  });

  it("names the setting that lets the server evict keys, and the command that changes it", async () => {
    await admin.config("SET", "maxmemory-policy", "allkeys-lru");
    await assert.rejects(check(), {
      code: "invalid_request",
      message: /^redis is set to maxmemory-policy allkeys-lru: run "redis-cli config set maxmemory-policy noeviction"/,
    });
  });

  it("says that a login is missing or wrong, without the password", async () => {
    await admin.config("SET", "requirepass", "open sesame");
    const withPassword = (password: string) => `redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;
    await check(withPassword("open sesame"));
    for (const url of [server.url, withPassword("s3cret")]) {
      await assert.rejects(check(url), (error) => {
        assert.ok(isGatewayError(error, "unauthorized"));
        assert.equal(error.message, `redis at 127.0.0.1:${server.port} refused the login`);
        assert.doesNotMatch(JSON.stringify(error.cause, Object.getOwnPropertyNames(error.cause)), /s3cret/);
        return true;
      });
    }
    await admin.config("SET", "requirepass", "");
  });

  it("says where nobody answers", async () => {
    await assert.rejects(check("redis://127.0.0.1:1/0"), {
      code: "unavailable",
      message: "redis at 127.0.0.1:1/0 is not available: connect ECONNREFUSED 127.0.0.1:1",
    });
  });

  it("ends with the signal when a server takes the connection and stays silent", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = silent.address();
    assert.ok(address !== null && typeof address === "object");
    await assert.rejects(checkRedis(`redis://127.0.0.1:${address.port}`, AbortSignal.timeout(50)), {
      code: "unavailable",
    });
    silent.close();
  });

  it("refuses old servers and replicas", () => {
    const info = (version: string, role: string) =>
      `redis_version:${version}\r\nrole:${role}\r\nmaxmemory_policy:noeviction\r\n`;
    judge(info("6.2.0", "master"), "host:1");
    judge(info("10.0.1", "master"), "host:1");
    assert.throws(() => judge(info("6.0.16", "master"), "host:1"), { code: "unsupported", message: /6\.0\.16.*6\.2/ });
    assert.throws(() => judge(info("5.9.1", "master"), "host:1"), { code: "unsupported" });
    assert.throws(() => judge(info("7.2.4", "slave"), "host:1"), { code: "invalid_request", message: /replica/ });
  });
});
