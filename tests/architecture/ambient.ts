import { isTest, type SourceFile } from "./repository.ts";

/** What a package may not reach for: the caller passes clock, chance and configuration in, so that a test can. */
const ambient: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["the clock", /\bDate\.now\b|\bnew Date\(\)|(?<!new )(?<![\w.])Date\(\)|\bperformance\.\w+|\bhrtime\b/],
  ["a timer", /(?<![\w.#])set(?:Timeout|Interval)\(|\bnode:timers\b/],
  ["chance", /\bMath\.random\b|\brandom(?:UUID|Bytes|Int|Fill)\b|\bgetRandomValues\b/],
  ["the environment", /\bprocess\.(?:env|argv|cwd)\b|\b(?:homedir|hostname|userInfo|tmpdir)\(/],
];

/**
 * Who may, and why. Not looked for at all: `AbortSignal.timeout`, the limit of one call that a server may leave open;
 * `setImmediate`, which takes no time; `process.pid` and `process.platform`, which never change.
 */
const mayReachOut: readonly (readonly [path: string, what: readonly string[], why: string])[] = [
  ["packages/protocol/src/clock.ts", ["the clock", "a timer"], "the clock that apps hand out"],
  ["packages/testkit/", ["the clock", "a timer", "the environment"], "equipment of tests"],
  ["packages/postgres/", ["a timer", "chance", "the environment"], "waits for programs of the system, in real time"],
  [
    "packages/store/src/processes/held-lease.ts",
    ["a timer"],
    "renewals, in whatever process or thread holds the lease",
  ],
  ["packages/store/src/processes/lease-keeper.ts", ["a timer"], "the pulse that the lease's thread watches"],
  ["packages/telemetry/src/loop-delay.ts", ["a timer"], "measures by how much a timer is late"],
  ["packages/store/src/accounts/key-file.ts", ["chance"], "a secret"],
  ["packages/store/src/accounts/sealed-value.ts", ["chance"], "a nonce"],
  ["packages/store/src/accounts/pairing.ts", ["chance"], "ids of those who ask"],
  ["packages/store/src/accounts/pairing-code.ts", ["chance"], "a code that nobody may guess"],
  ["packages/store/src/accounts/groups.ts", ["chance"], "the number of a question, which nobody may guess"],
  ["packages/mcp/src/oauth/oauth-client.ts", ["chance"], "the state of a login, which nobody may guess"],
  ["packages/models/src/chatgpt/chatgpt-login.ts", ["chance"], "the state of a login, which nobody may guess"],
  ["packages/models/src/vertex/gemini-on-vertex.ts", ["chance"], "the id of a call without one of its own"],
  ["packages/adapters/whatsapp/src/platform.ts", ["chance"], "a secret that setup makes up"],
  ["packages/adapters/matrix/src/file-cipher.ts", ["chance"], "a key and its nonce"],
  ["packages/adapters/matrix/src/encryption/secret-storage.ts", ["chance"], "the name of a key"],
  [
    "packages/tools/src/code/languages.ts",
    ["a timer", "the environment"],
    "text of a program that runs in the workspace",
  ],
  ["packages/adapters/web/src/inbound.ts", ["chance"], "the id of an event without one of its own"],
  ["packages/adapters/webhook/src/identify.ts", ["chance"], "the id of an event without one of its own"],
  ["packages/sandbox/src/sandbox/backend.ts", ["chance"], "the name of a file that is being written"],
  ["packages/sandbox/src/shell-marker.ts", ["chance"], "a marker that no output can forge"],
  ["packages/sandbox/src/claim.ts", ["chance", "the environment"], "a name that nothing else has, on a short path"],
  ["packages/foreign-content/src/secrets/secret.ts", ["chance"], "a handle that nobody can guess"],
  ["packages/sandbox/src/sandbox/secrets/authority.ts", ["chance"], "serial numbers of certificates (RFC 5280)"],
  ["packages/sandbox/src/local/backend.ts", ["chance"], "a mark by which a program's processes are found"],
  ["packages/sandbox/src/docker/backend.ts", ["chance"], "a mark by which a program's processes are found"],
  ["packages/sandbox/src/remote/remote-place.ts", ["chance"], "a mark by which a program's processes are found"],
  ["packages/sandbox/src/escapes/outside.ts", ["chance"], "words that no command can guess, for tests"],
  ["packages/adapters/webhook/src/callback.ts", ["a timer"], "the limit of one call"],
];

/** Clock, chance and environment come from `apps`; a package takes what it is given. */
export function ambientViolations(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith("packages/") && path.endsWith(".ts") && !isTest(path))
    .flatMap(({ path, text }) =>
      reachesOf(text)
        .filter(([what]) => !isAllowed(path, what))
        .map(([, found]) => `${path} uses ${found}`),
    );
}

/** Entries of the list that allow what nobody does any more. */
export function idlePermissions(files: readonly SourceFile[]): readonly string[] {
  return mayReachOut.flatMap(([allowed, whats]) => {
    const texts = files.filter(({ path }) => path.startsWith(allowed) && !path.endsWith(".test.ts"));
    const found = new Set(texts.flatMap(({ text }) => reachesOf(text).map(([what]) => what)));
    return whats.filter((what) => !found.has(what)).map((what) => `${allowed} does not use ${what}`);
  });
}

function reachesOf(text: string): readonly (readonly [what: string, found: string])[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return ambient.flatMap(([what, pattern]) =>
    [...code.matchAll(new RegExp(pattern, "g"))].map(([found]) => [what, found.replace(/\($/, "")] as const),
  );
}

function isAllowed(path: string, what: string): boolean {
  return mayReachOut.some(([allowed, whats]) => path.startsWith(allowed) && whats.includes(what));
}
