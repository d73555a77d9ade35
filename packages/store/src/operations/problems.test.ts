import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { english } from "@talaria/words";
import { type ProblemFacts, problemsOf, soundKeysOf } from "./problems.ts";

const now = Date.parse("2026-11-26T14:40:00Z");
const gateway = { kind: "gateway", stats: {} };
const worker = { kind: "worker", stats: {} };

interface Given {
  readonly living?: readonly object[];
  readonly accounts?: readonly object[];
  readonly models?: readonly string[];
  readonly accountKeyFiles?: ProblemFacts["accountKeyFiles"];
}

function factsOf({
  living = [gateway, worker],
  accounts = [],
  models = ["main"],
  accountKeyFiles,
}: Given): ProblemFacts {
  return { living, accounts, models, accountKeyFiles, now } as unknown as ProblemFacts;
}

function workerWith(...news: readonly object[]) {
  return {
    kind: "worker",
    stats: { models: news.map((one) => ({ model: "main", at: "2026-11-26T14:39:00Z", ...one })) },
  };
}

function accountOf(connection: object, more: object = {}) {
  return { accountId: "bot", platform: "telegram", holder: "gateway-1", connection, ...more };
}

/** As a supervisor lists it. */
function lifeOf(name: string, crashes: number, startedAt = "2026-11-26T14:39:00Z") {
  const ends = { since: "2026-11-26T14:31:00.000Z", at: "2026-11-26T14:38:00.000Z", how: "SIGKILL" };
  return { kind: "worker", host: "box", startedAt, stats: { life: { name, crashes, ...ends } } };
}

const refused = { code: "auth", line: "model main: refused: mend it", since: "2026-11-26T14:34:00Z", count: 1 };
const busy = { code: "overloaded", line: "model main: busy", count: 2, isPassing: true };
const refusal = { since: "2026-11-26T14:30:00.000Z" };
const held = { code: "unavailable", reason: "ECONNREFUSED", since: "2026-11-26T14:30:00.000Z" };

const accountKeyFiles = {
  bot: [
    { key: "token", path: "/data/secrets/bot-token", secret: "bot-token" },
    { key: "webhookSecret", path: "/run/secret" },
  ],
};

const table: readonly (readonly [
  what: string,
  given: Given,
  problems: readonly (readonly [string, string, boolean, RegExp])[],
])[] = [
  ["nothing where all is well", {}, []],
  ["nothing that runs", { living: [] }, [["gateway", "not_running", true, /`npm start`/]]],
  ["no worker", { living: [gateway] }, [["worker", "not_running", true, /no worker is running: `talaria start`/]]],
  ["no gateway", { living: [worker] }, [["gateway", "not_running", true, /`talaria gateway` does in a fleet/]]],
  ["a refused key", { living: [gateway, workerWith(refused)] }, [["model:main", "auth", true, /refused: mend it$/]]],
  [
    "a refused key with a fallback that answers",
    { living: [gateway, workerWith(refused, { model: "spare" })], models: ["main", "spare"] },
    [["model:main", "auth", false, /mend it$/]],
  ],
  [
    "a refused key, and a fallback that fails too",
    { living: [gateway, workerWith(refused, { ...busy, model: "spare" })], models: ["main", "spare"] },
    [
      ["model:main", "auth", true, /mend it$/],
      ["model:spare", "overloaded", true, /busy$/],
    ],
  ],
  ["a busy model", { living: [gateway, workerWith(busy)] }, [["model:main", "overloaded", true, /busy$/]]],
  [
    "a worker that is started again and again",
    { living: [gateway, lifeOf("worker 1", 3), lifeOf("worker 2", 2)] },
    [
      [
        "crashes:box/worker 1",
        "crashing",
        false,
        /^the worker 1 on box ends again and again, 3 times from .* \(the last: SIGKILL\).*`talaria logs/,
      ],
    ],
  ],
  [
    "the only worker that is started again and again",
    { living: [gateway, lifeOf("worker 1", 3)] },
    [["crashes:box/worker 1", "crashing", true, /the worker 1 on box/]],
  ],
  [
    "a worker that has run for ten minutes since",
    { living: [gateway, lifeOf("worker 1", 3, "2026-11-26T14:29:59Z")] },
    [],
  ],
  [
    "a request that is about to be tried again",
    { living: [gateway, workerWith({ ...busy, count: 1 })] },
    [["model:main", "overloaded", false, /busy$/]],
  ],
  [
    "a model that nobody is answered by",
    { living: [gateway, workerWith({ ...refused, model: "notes" })] },
    [["model:notes", "auth", false, /mend it$/]],
  ],
  [
    "a refused account",
    { accounts: [accountOf({ status: "needs-operator", code: "unauthorized", hint: "Rotate its token." })] },
    [
      [
        "account:bot",
        "unauthorized",
        true,
        /is refused, unauthorized: Rotate its token; or run `talaria setup telegram --account bot`$/,
      ],
    ],
  ],
  [
    "a refused account whose token stands in a file",
    {
      accounts: [accountOf({ status: "needs-operator", code: "unauthorized", hint: "Get one and set it as `token`." })],
      accountKeyFiles,
    },
    [
      [
        "account:bot",
        "unauthorized",
        true,
        /: Get one and set it as `token`: put it there with `talaria secret set bot-token`; it is in use within seconds$/,
      ],
    ],
  ],
  [
    "a refused account whose settings are wrong, not its token",
    {
      accounts: [accountOf({ status: "needs-operator", code: "invalid_request", hint: "Check `webhookUrl`." })],
      accountKeyFiles,
    },
    [["account:bot", "invalid_request", true, /: Check `webhookUrl`; or run `talaria setup telegram --account bot`$/]],
  ],
  [
    "an account to link",
    { accounts: [accountOf({ status: "linking" })] },
    [["account:bot", "linking", true, /to be linked/]],
  ],
  [
    "a platform that can't be reached",
    { accounts: [accountOf({ status: "reconnecting", attempt: 5, code: "unavailable" })] },
    [
      [
        "account:bot",
        "unavailable",
        true,
        /can't reach its platform, unavailable: it goes on trying; check the network, [^`]*$/,
      ],
    ],
  ],
  [
    "a platform whose answers nobody understands",
    { accounts: [accountOf({ status: "reconnecting", attempt: 5, code: "internal" })] },
    [
      [
        "account:bot",
        "internal",
        true,
        /reach its platform, internal: .*the log shows a mistake of Talaria.*: report it$/,
      ],
    ],
  ],
  [
    "a hiccup of a connection",
    { accounts: [accountOf({ status: "reconnecting", attempt: 4, code: "unavailable" })] },
    [],
  ],
  [
    "a long outage",
    { accounts: [accountOf({ status: "connected" }, { held: { ...held, isOutage: true } })] },
    [["account:bot", "unavailable", true, /can't deliver, ECONNREFUSED, since 2026-11-26T14:30:00Z: /]],
  ],
  [
    "texts that the platform refuses to take from the account",
    {
      accounts: [accountOf({ status: "connected" }, { held: { ...refusal, code: "unauthorized", isOutage: true } })],
    },
    [
      [
        "account:bot",
        "unauthorized",
        true,
        /is refused, unauthorized, since 2026-11-26T14:30:00Z: put a working token or key where accounts\.bot takes it from, or run `talaria setup telegram --account bot`$/,
      ],
    ],
  ],
  [
    "texts that the platform refuses to take from an account whose secrets stand in files",
    {
      accounts: [accountOf({ status: "connected" }, { held: { ...refusal, code: "unauthorized", isOutage: true } })],
      accountKeyFiles,
    },
    [
      [
        "account:bot",
        "unauthorized",
        true,
        /key there with `talaria secret set bot-token` or into \/run\/secret; it is in use within seconds$/,
      ],
    ],
  ],
  [
    "texts that another program is in the way of",
    { accounts: [accountOf({ status: "connected" }, { held: { ...refusal, code: "conflict", isOutage: true } })] },
    [["account:bot", "conflict", true, /can't deliver, conflict, since .*: another program uses its token: end that/]],
  ],
  [
    "a short outage",
    {
      accounts: [
        accountOf({ status: "connected" }, { held: { ...held, isOutage: true, since: "2026-11-26T14:39:30Z" } }),
      ],
    },
    [],
  ],
  [
    "one text that waits while others arrive",
    { accounts: [accountOf({ status: "connected" }, { held: { ...held, isOutage: false } })] },
    [],
  ],
  ["an account that nobody holds", { accounts: [accountOf({ status: "needs-operator" }, { holder: undefined })] }, []],
  [
    "workers without commands",
    { living: [gateway, { kind: "worker", stats: { workplace: { works: false, line: "bwrap is missing" } } }] },
    [["workplace", "no_workplace", false, /`talaria setup sandbox` says why/]],
  ],
];

describe("what an operator has to mend", () => {
  for (const [what, given, problems] of table)
    it(what, () => {
      const found = problemsOf(factsOf(given), english.problemPhrases);
      assert.deepEqual(
        found.map(({ key, code, stopsAnswers }) => [key, code, stopsAnswers]),
        problems.map(([key, code, stopsAnswers]) => [key, code, stopsAnswers]),
      );
      for (const [n, { line }] of found.entries()) assert.match(line, problems[n]?.[3] ?? /never/);
    });

  it("comes in the order of what keeps people from answers", () => {
    const other = { kind: "worker", stats: { workplace: { works: false, line: "x" } } };
    const accounts = [accountOf({ status: "needs-operator", code: "unauthorized", hint: "x" })];
    const found = problemsOf(
      factsOf({ living: [gateway, other, workerWith({ ...refused, model: "notes" })], accounts }),
      english.problemPhrases,
    );
    assert.deepEqual(
      found.map(({ stopsAnswers }) => stopsAnswers),
      [true, false, false],
    );
  });

  it("is over where something is seen to work, and not where nobody has tried", () => {
    const accounts = [
      accountOf({ status: "connected" }),
      accountOf({ status: "connecting" }, { accountId: "two" }),
      accountOf({ status: "connected" }, { accountId: "three", held }),
      accountOf({ status: "connected" }, { accountId: "four", holder: undefined }),
    ];
    const living = [
      gateway,
      workerWith({}, { ...busy, model: "spare" }),
      lifeOf("worker 1", 0),
      lifeOf("worker 2", 4, "2026-11-26T14:29:00Z"),
    ];
    assert.deepEqual(
      [...new Set(soundKeysOf(factsOf({ living, accounts })))],
      ["gateway", "worker", "crashes:box/worker 2", "model:main", "account:bot"],
    );
  });
});
