import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { checkConfig, defaultConfig, loadConfig, platformsIn } from "./load-config.ts";
import { ConfigError, formatProblem } from "./problem.ts";
import { Secret } from "./secret.ts";
import { unpricedModels } from "./unpriced-models.ts";

const telegram = {
  configSchema: z.object({ token: z.string().min(1), mode: z.enum(["polling", "webhook"]).default("polling") }),
  ids: { user: /^[1-9]\d*$/, group: /^-[1-9]\d*$/, example: "telegram:user:123456" },
  identityKey: "token",
};
const strong = "kX9vQ2mZ7pL4rT8wB3nC6yH1";

function options(env: Record<string, string> = {}) {
  return { file: "config.yaml", env, platforms: { names: ["telegram", "discord"], rules: { telegram } } };
}

/** Every problem as an operator reads it. */
function problemsOf(text: string, env: Record<string, string> = {}): readonly string[] {
  return checkConfig(text, options(env)).problems.map(formatProblem);
}

function account(keys: string): string {
  return `accounts:\n  main: { platform: telegram, token: abc, ${keys} }\n`;
}

describe("loadConfig", () => {
  it("takes the key that stands for none for no secret", () => {
    const models =
      "models: { main: { provider: openai-chat, baseUrl: http://127.0.0.1:1/v1, apiKey: none, model: m } }\n";
    assert.deepEqual(loadConfig(models, options()).secrets, []);
  });

  it("gives somebody without a file a working configuration", () => {
    const { config } = defaultConfig({});
    assert.equal(config.gateway.host, "127.0.0.1");
    assert.equal(config.gateway.port, 7420);
    assert.deepEqual(config.database, { kind: "embedded" });
    assert.deepEqual(config.redis, { kind: "none" });
    assert.equal(config.models.main?.provider, "demo");
    assert.deepEqual(config.leases, { sessionMs: 15_000, accountMs: 15_000 });
    assert.deepEqual([config.accounts, config.webhooks, config.disabled], [{}, {}, []]);
  });

  it("limits what people, guests and accounts spend unless told otherwise", () => {
    const { person, guest, conversation, account: whole } = defaultConfig({}).config.limits.spending;
    const { turnsPerMinute, tokensPerDay } = person;
    for (const limit of [turnsPerMinute, tokensPerDay, conversation.turnsPerMinute, whole.tokensPerDay])
      assert.ok(Number(limit) > 0);
    assert.ok(Number(guest.turnsPerMinute) < Number(person.turnsPerMinute));
    assert.ok(Number(guest.tokensPerDay) < Number(person.tokensPerDay));
  });

  it("names the models that no limit of money counts, where there is such a limit", () => {
    const models = `models:
  main: { provider: openai-chat, model: x, fallbacks: [priced, second] }
  priced: { provider: openai-chat, model: y, price: { input: 1, output: 2.5 } }
  second: { provider: anthropic, model: z, fallbacks: [offline] }
  offline: { provider: demo }
  unused: { provider: anthropic, model: z }
`;
    const limited = "limits: { spending: { total: { moneyPerMonth: 0.5 } } }\n";
    const unpriced = (text: string) =>
      unpricedModels(loadConfig(text, options()).config).map((line) => line.split(" ")[0]);
    assert.deepEqual(unpriced(models + limited), ["models.main", "models.second"]);
    assert.deepEqual(unpriced(models), []);
  });

  it("ends no conversation by itself unless it is told when, by a clock that is there", () => {
    assert.deepEqual(loadConfig("", options()).config.sessions, { timeZone: "UTC" });
    const problems = problemsOf(
      'sessions: { resetAfterIdleMinutes: 1, resetDailyAt: "24:00", timeZone: Europe/Nowhere }\n',
    );
    assert.deepEqual(
      problems.map((line) => line.replace(/^\S+ /, "")),
      [
        "sessions.resetAfterIdleMinutes: Too small: expected number to be >=5",
        "sessions.resetDailyAt: must be a time of day such as `04:00`",
        "sessions.timeZone: must be the name of a time zone such as `Europe/Oslo`",
      ],
    );
  });

  it("takes a model that is configured for passes over conversations, and none unless it is named", () => {
    const small = "models: { main: { provider: demo }, small: { provider: openai-chat, model: y } }\n";
    const { memory } = loadConfig(`${small}memory: { pass: { model: small } }\n`, options()).config;
    assert.deepEqual(memory.pass, { model: "small", perDay: 4 });
    assert.equal(loadConfig(small, options()).config.memory.pass, undefined);
    assert.deepEqual(problemsOf(`${small}memory: { pass: { model: smal } }\n`), [
      'config.yaml:2:26 memory.pass.model: there is no entry "smal" in models; did you mean "small"?',
    ]);
    const limited = `${small}limits: { spending: { total: { moneyPerMonth: 1 } } }\n`;
    assert.equal(
      unpricedModels(loadConfig(`${limited}memory: { pass: { model: small } }\n`, options()).config).length,
      1,
    );
  });

  it("refuses a price that is not one", () => {
    const main = (price: string) => `models:\n  main: { provider: openai-chat, model: x, price: ${price} }\n`;
    assert.deepEqual(
      problemsOf(main("{ input: 3 }")).map((line) => line.replace(/^\S+ /, "")),
      ["models.main.price.output: is required"],
    );
    for (const price of ["{ input: -1, output: 1 }", "{ input: 1, output: 1, cached: 1 }", "3"])
      assert.equal(problemsOf(main(price)).length, 1, price);
  });

  it("uses OpenAI by default when its key is there", () => {
    const { config, secrets } = defaultConfig({ OPENAI_API_KEY: "sk-abcdef" });
    assert.equal(config.models.main?.provider, "openai-chat");
    assert.equal(config.models.main?.model, "gpt-5.6");
    assert.equal(config.models.main?.baseUrl, "https://api.openai.com/v1");
    assert.ok(config.models.main?.apiKey instanceof Secret);
    assert.equal(config.models.main.apiKey.reveal(), "sk-abcdef");
    assert.ok(secrets.includes("sk-abcdef"));
  });

  it("lets DATABASE_URL, REDIS_URL and LOG_LEVEL win over the file", () => {
    const env = { DATABASE_URL: "postgres://u:p%40ssword@db/x", REDIS_URL: "redis://r:1", LOG_LEVEL: "debug" };
    const { config, secrets } = loadConfig("database: embedded\nredis: none\nlog: { level: warn }\n", options(env));
    assert.equal(config.database.kind === "postgres" && config.database.url.reveal(), env.DATABASE_URL);
    assert.equal(config.redis.kind === "redis" && config.redis.url.reveal(), env.REDIS_URL);
    assert.equal(config.log.level, "debug");
    assert.ok(secrets.includes("p%40ssword") && secrets.includes("p@ssword"));
  });

  it("blames the variable when a wrong value came from there", () => {
    assert.deepEqual(problemsOf("", { DATABASE_URL: "mysql://x" }), [
      "environment variable DATABASE_URL database: must be `embedded` or a postgres:// address",
    ]);
  });

  it("keeps a platform's own keys as settings, with the platform's defaults", () => {
    const { config } = loadConfig(
      account('access: { allow: ["telegram:user:7", "telegram:group:-10012"] }'),
      options(),
    );
    assert.deepEqual(config.accounts.main, {
      platform: "telegram",
      access: {
        direct: "pairing",
        groups: "allowlist",
        allow: { users: ["7"], groups: ["-10012"] },
        owners: [],
        bots: "off",
        maxBotTurns: 5,
      },
      groups: { activation: "mention", keywords: [], threadHours: 24, ambient: { messages: 20, maxAgeMs: 3_600_000 } },
      catchUp: { maxAgeMs: 86_400_000, notice: true },
      reactions: { status: false },
      sessions: { direct: "thread", groups: "thread" },
      busy: { direct: "steer", groups: "queue" },
      settings: { token: "abc", mode: "polling" },
    });
  });

  it("refuses a second account with the same token, and no other", () => {
    const two = (second: string) =>
      `accounts:\n  one: { platform: telegram, token: "1:abc" }\n  two: { platform: telegram, token: "${second}" }`;
    const { config, problems } = loadConfig(two("1:abc"), options());
    assert.deepEqual(Object.keys(config.accounts), ["one"]);
    assert.deepEqual(
      problems.map(({ line, path, message }) => [line, path, message]),
      [[3, "accounts.two.token", "is that of account one: each account needs its own"]],
    );
    assert.doesNotMatch(JSON.stringify(problems), /1:abc/);
    assert.deepEqual(Object.keys(loadConfig(two("2:abc"), options()).config.accounts), ["one", "two"]);
  });

  it("says what is wrong with groups and the proxy of an account", () => {
    const rows = [
      ["groups: { activation: keyword }", "accounts.main.groups.keywords"],
      ['groups: { activation: keyword, keywords: ["!!"] }', "accounts.main.groups.keywords.0"],
      ["groups: { ambient: { messages: 1000 } }", "accounts.main.groups.ambient.messages"],
      ["proxy: socks5://localhost:1080", "accounts.main.proxy"],
    ];
    for (const [keys = "", path] of rows)
      assert.deepEqual(
        loadConfig(account(keys), options()).problems.map((problem) => problem.path),
        [path],
      );
  });

  it("keeps the password of a proxy out of sight", () => {
    const { config, secrets } = loadConfig(account("proxy: http://me:pa%24s@proxy:3128"), options());
    assert.equal(config.accounts.main?.proxy, "http://me:pa%24s@proxy:3128");
    assert.ok(secrets.includes("pa%24s") && secrets.includes("pa$s"));
  });

  it("keeps settings unchecked when no platforms are given", () => {
    const { config } = loadConfig(account("whatever: 1"), { file: "c", env: {} });
    assert.deepEqual(config.accounts.main?.settings, { token: "abc", whatever: 1 });
  });

  it("lists every problem at once, each with its place and a suggestion", () => {
    const text = [
      "gateway: { host: 0.0.0.0, prot: 1 }",
      "database: embeded",
      "models:",
      "  main: { provider: openai-chta, model: x, fallbacks: [mian, main] }",
      "acounts: {}",
      "accounts:",
      "  tg:",
      "    platform: telegram",
      "    tokn: abc",
      "  no-platform: { token: x }",
      "webhooks:",
      '  ci: { scheme: github, secret: "***", prompt: x, deliver: { account: tgg, conversation: "1" } }',
      "",
    ].join("\n");
    assert.deepEqual(problemsOf(text), [
      "config.yaml:1:18 gateway.host: listening beyond loopback needs auth.token; set auth.token, or use 127.0.0.1",
      'config.yaml:1:27 gateway.prot: unknown key; did you mean "port"?',
      "config.yaml:2:11 database: must be `embedded` or a postgres:// address",
      'config.yaml:4:21 models.main.provider: must be one of "openai-chat", "openai-responses", "anthropic", "google", "mistral", "bedrock", "vertex", "chatgpt", "demo"; did you mean "openai-chat"?',
      'config.yaml:4:56 models.main.fallbacks.0: there is no entry "mian" in models; did you mean "main"?',
      "config.yaml:4:62 models.main.fallbacks.1: a model cannot fall back to itself",
      'config.yaml:5:1 acounts: unknown key; did you mean "accounts"?',
      "config.yaml:7:3 accounts.tg.token: is required",
      'config.yaml:9:5 accounts.tg.tokn: unknown key; did you mean "token"?',
      "config.yaml:10:3 accounts.no-platform.platform: is required",
      "config.yaml:12:33 webhooks.ci.secret: too short: a secret needs at least 16 bytes",
      'config.yaml:12:71 webhooks.ci.deliver.account: there is no account "tgg"; did you mean "tg"?',
    ]);
  });

  it("disables a faulty account or webhook route alone, and says why", () => {
    const text = `accounts:
  good: { platform: telegram, token: abc }
  bad: { platform: telegram, token: "\${NOPE}" }
  off: { platform: telegram, enabled: false, anything: goes }
webhooks:
  good: { scheme: github, secret: ${strong}, prompt: x, wait: true }
  bad: { scheme: github, secret: changemechangeme, prompt: x, wait: true }
`;
    const { config, problems } = loadConfig(text, options());
    assert.deepEqual(Object.keys(config.accounts), ["good"]);
    assert.deepEqual(Object.keys(config.webhooks), ["good"]);
    assert.deepEqual(config.disabled, [
      { kind: "account", name: "bad", reason: "token environment variable NOPE is not set" },
      { kind: "account", name: "off", reason: "switched off by enabled: false" },
      { kind: "webhook", name: "bad", reason: "secret this is a placeholder: put a random value here" },
    ]);
    assert.deepEqual(
      problems.map(({ line, disables }) => [line, disables?.name]),
      [
        [3, "bad"],
        [7, "bad"],
      ],
    );
  });

  it("throws one error with every problem when the base is wrong", () => {
    const text = `gateway: { port: many }\n${account("tokken: 1")}`;
    assert.throws(
      () => loadConfig(text, options()),
      (error) => error instanceof ConfigError && error.problems.length === 2 && error.code === "invalid_request",
    );
  });

  it("refuses unknown keys of a platform, also when its schema would drop them", () => {
    assert.deepEqual(problemsOf(account("acess: {}")), [
      'config.yaml:2:43 accounts.main.acess: unknown key; did you mean "access"?',
    ]);
  });

  it("refuses names of accounts that the gateway has of its own, and names that fit no address", () => {
    for (const name of ["web", "api", "webhook-ci"])
      assert.match(problemsOf(`accounts: { ${name}: { platform: telegram, token: x } }`).join(), /gateway itself/);
    for (const name of ["Main", "a/b", "a b", '""', "-a", "a".repeat(64)])
      assert.match(problemsOf(`accounts: { ${name}: { platform: telegram, token: x } }`).join(), /a name has/);
  });

  it("suggests the platform that was meant", () => {
    assert.match(problemsOf("accounts: { a: { platform: telegrm } }")[0] ?? "", /did you mean "telegram"\?/);
    assert.match(problemsOf("accounts: { a: { platform: loopback } }")[0] ?? "", /must be one of telegram, discord$/);
  });

  it("names the platforms of a file that has faults elsewhere", () => {
    const text = `gateway: { prot: 1 }\n${account("tokn: 1")}  b: { platform: "slack" }\n  c: { platform: telegram }\n  d:\n`;
    assert.deepEqual(platformsIn(text), ["telegram", "slack"]);
    for (const other of ["", "accounts:", "accounts: [1]", "accounts: x", "a: ["])
      assert.deepEqual(platformsIn(other), []);
  });

  it("freezes everything below the configuration", () => {
    const { config } = loadConfig(account("mode: webhook"), options());
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null || value instanceof Secret) return;
      assert.ok(Object.isFrozen(value));
      for (const item of Object.values(value)) visit(item);
    };
    visit(config);
  });

  it("takes numbers and booleans from the environment", () => {
    const text = `gateway: { port: "\${PORT}" }\naccounts: { a: { platform: telegram, token: x, enabled: "\${ON}" } }\n`;
    assert.equal(loadConfig(text, options({ PORT: "8080", ON: "true" })).config.gateway.port, 8080);
    assert.deepEqual(problemsOf('gateway: { port: "8080" }'), [
      "config.yaml:1:18 gateway.port: expected number, got string",
    ]);
  });

  it("takes several keys of a model, and prints none of them", () => {
    const text = `models: { main: { provider: anthropic, model: m, apiKey: [key-one, "\${TWO}"], effort: max } }\n`;
    const { config, secrets } = loadConfig(text, options({ TWO: "key-two" }));
    assert.deepEqual([...secrets].sort(), ["key-one", "key-two"]);
    const { apiKey } = config.models.main ?? {};
    assert.deepEqual(Array.isArray(apiKey) && apiKey.map((key: Secret) => key.reveal()), ["key-one", "key-two"]);
    assert.ok(!JSON.stringify(config).includes("key-one"));
  });

  it("says what a provider's model lacks or cannot take", () => {
    assert.deepEqual(problemsOf("models: { main: { provider: bedrock, model: m, query: { a: b } } }"), [
      "config.yaml:1:11 models.main.apiKey: is required for `bedrock`, or `aws` instead of it",
      "config.yaml:1:55 models.main.query: does not work with `bedrock`: remove it, or use `headers`",
    ]);
    const [wrong, empty] = ["[1]", "[]"].map((keys) =>
      problemsOf(`models: { main: { provider: anthropic, model: m, apiKey: ${keys} } }`),
    );
    assert.match(String(wrong), /models\.main\.apiKey/);
    assert.match(String(empty), /models\.main\.apiKey/);
    assert.deepEqual(problemsOf("models: { main: { provider: anthropic, model: m, effort: hihg } }"), [
      'config.yaml:1:58 models.main.effort: must be one of "low", "medium", "high", "max"; did you mean "high"?',
    ]);
  });

  it("collects what must not be printed", () => {
    const text = `auth: { token: ${strong} }
models: { main: { provider: openai-chat, model: m, apiKey: key-one, headers: { x-org: org-id } } }
accounts: { main: { platform: telegram, token: tg-token } }
webhooks: { w: { scheme: github, secrets: ["${strong}a", "${strong}b"], prompt: x, wait: true } }
`;
    const { secrets } = loadConfig(text, options());
    assert.deepEqual([...secrets].sort(), [strong, `${strong}a`, `${strong}b`, "key-one", "org-id", "tg-token"].sort());
  });
});

describe("who may talk to the agent", () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["an empty entry", '[""]', /an empty entry allows nobody/],
    ["a star", '["*"]', /"\*" is not an id/],
    ["a user name", '["@ada"]', /names can be taken over/],
    ["a display name", '["Ada Lovelace"]', /names can be taken over/],
    ["a user name behind the prefix", '["telegram:user:@ada"]', /not the id of a user on telegram/],
    ["another platform", '["discord:user:7"]', /belongs to discord, this account is on telegram/],
    ["an id without prefix", '["123456"]', /names can be taken over/],
    ["part of an id", '["telegram:user:12 3"]', /not the id of a user/],
  ];
  for (const [name, list, expected] of cases)
    it(`refuses ${name} in the list`, () => {
      const problems = problemsOf(account(`access: { allow: ${list} }`));
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", /^config\.yaml:2:\d+ accounts\.main\.access\.allow\.0: /);
      assert.match(problems[0] ?? "", expected);
    });

  it("takes any id without spaces where the platform's ids are not known", () => {
    const text = 'accounts: { main: { platform: pigeon-post, access: { allow: ["pigeon-post:user:DE.13"] } } }';
    const { config } = loadConfig(text, { file: "config.yaml", env: {} });
    assert.deepEqual(config.accounts.main?.access.allow.users, ["DE.13"]);
  });

  it("refuses an allowlist that admits nobody", () => {
    for (const list of ["", ", allow: []", ', allow: ["telegram:group:-5"]']) {
      const problems = problemsOf(account(`access: { direct: allowlist${list} }`));
      assert.match(problems.join(), /no principals for account main/);
    }
  });

  it("accepts a star that says what open access says already", () => {
    const { config } = loadConfig(account('access: { direct: open, allow: ["*"] }'), options());
    assert.deepEqual(config.accounts.main?.access.allow, { users: [], groups: [] });
  });

  it("keeps an emptied list empty", () => {
    const { config } = loadConfig(account("access: { allow: [] }"), options());
    assert.deepEqual(config.accounts.main?.access.allow, { users: [], groups: [] });
    assert.equal(config.accounts.main?.access.direct, "pairing");
  });
});

describe("webhook routes", () => {
  const route = (keys: string) => `webhooks: { w: { scheme: github, prompt: x, wait: true, ${keys} } }`;

  it("refuse secrets that guard nothing, without printing them", () => {
    const weak = [
      "",
      "***",
      "changeme",
      "changeme-changeme",
      "your-webhook-secret-here",
      "aaaaaaaaaaaaaaaaaaaa",
      "test1234test1234",
      "1234567890123456",
      "whsec_c2hvcnRzaG9ydA==",
    ];
    for (const secret of weak) {
      const [problem = "", ...others] = problemsOf(route(`secret: "${secret}"`));
      assert.match(problem, /webhooks\.w\.secret: (too short|this is a placeholder|is required)/, secret);
      assert.deepEqual(others, []);
      if (secret !== "") assert.ok(!problem.includes(secret));
    }
  });

  it("need a secret and exactly one place for the answer", () => {
    assert.match(problemsOf(route("maxBodyBytes: 5")).join(), /webhooks\.w\.secret: is required/);
    assert.match(problemsOf(route(`secret: ${strong}, callbackUrl: "https://x.example"`)).join(), /exactly one place/);
  });

  it("take several secrets while one is rotated", () => {
    const { config } = loadConfig(route(`secrets: [${strong}, ${strong}2]`), options());
    assert.deepEqual(
      config.webhooks.w?.secrets.map((secret) => secret.reveal()),
      [strong, `${strong}2`],
    );
    assert.equal(config.webhooks.w?.maxBodyBytes, 1_048_576);
    assert.deepEqual(config.webhooks.w?.answer, { kind: "wait" });
  });

  it("name a header only where the scheme has none of its own", () => {
    assert.match(problemsOf(route(`secret: ${strong}, header: X-Sig`)).join(), /scheme github has its own header/);
    const text = `webhooks: { w: { scheme: hmac, prompt: x, wait: true, secret: ${strong}, header: X-Sig } }`;
    assert.equal(loadConfig(text, options()).config.webhooks.w?.header, "x-sig");
  });
});

describe("listening", () => {
  for (const host of ["127.0.0.1", "127.5.0.1", "localhost", "::1"])
    it(`on ${host} needs no token`, () => assert.deepEqual(problemsOf(`gateway: { host: "${host}" }`), []));
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "example.org", "127.0.0.1.evil.example"])
    it(`on ${host} needs a token`, () => {
      assert.match(problemsOf(`gateway: { host: "${host}" }`).join(), /needs auth\.token/);
      assert.deepEqual(problemsOf(`gateway: { host: "${host}" }\nauth: { token: ${strong} }`), []);
    });
});
