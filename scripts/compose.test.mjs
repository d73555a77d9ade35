import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadConfig } from "@talaria/config";
import { parse } from "yaml";

const repository = join(import.meta.dirname, "..");
const compose = parse(readFileSync(join(repository, "docker-compose.yml"), "utf8"), { merge: true });
const { gateway, worker, migrate, postgres, redis } = compose.services;
const ours = { gateway, worker, migrate };

describe("docker-compose.yml", () => {
  it("runs one gateway and two workers once database and migrations are ready", () => {
    assert.equal(worker.deploy.replicas, 2);
    assert.deepEqual(gateway.command, ["gateway"]);
    assert.deepEqual(worker.command, ["worker"]);
    for (const service of [gateway, worker]) {
      assert.equal(service.depends_on.migrate.condition, "service_completed_successfully");
      assert.equal(service.depends_on.postgres.condition, "service_healthy");
      assert.equal(service.depends_on.redis.condition, "service_healthy");
    }
  });

  it("keeps wake-ups on disk and never evicts them", () => {
    const flags = redis.command.join(" ");
    assert.match(flags, /--appendonly yes/);
    assert.match(flags, /--maxmemory-policy noeviction/);
    assert.match(redis.image, /^redis:7/);
    assert.match(postgres.image, /^postgres:18/);
  });

  it("holds no secret: each comes from the environment and must be given", () => {
    for (const service of Object.values(ours)) {
      assert.match(service.environment.DATABASE_URL, /\$\{POSTGRES_PASSWORD:\?/);
      assert.match(service.environment.REDIS_URL, /\$\{REDIS_PASSWORD:\?/);
    }
    assert.match(gateway.environment.TALARIA_TOKEN, /^\$\{TALARIA_TOKEN:\?/);
    assert.match(postgres.environment.POSTGRES_PASSWORD, /^\$\{POSTGRES_PASSWORD:\?/);
  });

  it("carries a valid configuration that opens the gateway beyond its container, with the token", () => {
    const text = compose.configs.talaria.content.replaceAll("$$", "$");
    const env = { TALARIA_TOKEN: "a-token-of-sufficient-length", OPENAI_API_KEY: "" };
    const { config } = loadConfig(text, { file: "config.yaml", env });
    assert.equal(config.gateway.host, "0.0.0.0");
    assert.throws(() => loadConfig(text, { file: "config.yaml", env: {} }), /TALARIA_TOKEN/);
  });

  it("runs without root, without capabilities and on a read-only root file system", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      const [first, ...more] = service.security_opt;
      assert.equal(first, "no-new-privileges:true", name);
      if (name !== "worker") assert.deepEqual(more, [], name);
    }
    for (const [name, service] of Object.entries({ ...ours, redis })) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ["ALL"], name);
    }
    const image = readFileSync(join(repository, "Dockerfile"), "utf8");
    assert.match(image, /^USER node$/m);
    assert.match(image, /^HEALTHCHECK /m);
    assert.match(image, /^RUN npm ci .*--ignore-scripts/m);
  });

  it("checks the health of what others wait for, and publishes the gateway only", () => {
    for (const service of [gateway, postgres, redis]) assert.ok(service.healthcheck.test.length > 0);
    const published = Object.keys(compose.services).filter((name) => compose.services[name].ports !== undefined);
    assert.deepEqual(published, ["gateway"]);
  });
});
