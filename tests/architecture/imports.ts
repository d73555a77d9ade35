import { isTest, type SourceFile, type Workspace } from "./repository.ts";

/** One import statement, export from, or `import("...")`. */
export interface Import {
  readonly specifier: string;
  /** Nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

const anyPackage = "any";

interface Permission {
  /** Packages of ours, without `@talaria/`. */
  readonly values: readonly string[] | typeof anyPackage;
  /** Further ones whose types alone may be imported. */
  readonly types?: readonly string[];
  readonly except?: readonly string[];
}

const onlyProtocol: Permission = { values: ["protocol"] };

/** Who may import whom. Imports point towards `protocol`. */
const permissions: Readonly<Record<string, Permission>> = {
  protocol: { values: [] },
  markdown: { values: [] },
  config: onlyProtocol,
  telemetry: onlyProtocol,
  postgres: onlyProtocol,
  adapter: onlyProtocol,
  agent: onlyProtocol,
  queue: onlyProtocol,
  store: onlyProtocol,
  sessions: { values: ["protocol"], types: ["store"] },
  models: { values: ["protocol", "agent"] },
  tools: { values: ["protocol", "agent"] },
  delivery: { values: ["protocol", "adapter", "store", "markdown"] },
  "adapter-kit": { values: ["protocol", "adapter"] },
  testkit: { values: ["protocol", "adapter"] },
  "app-console": { values: [] },
  // The agent never runs where connections are held, and a connection never where the agent runs.
  "app-gateway": { values: anyPackage, except: ["agent", "models", "tools", "app-cli", "app-gateway", "app-worker"] },
  "app-worker": { values: anyPackage, except: ["adapter", "delivery", "app-cli", "app-gateway", "app-console"] },
  "app-cli": { values: anyPackage, except: ["app-console"] },
};

const anAdapter: Permission = { values: ["protocol", "adapter", "adapter-kit", "markdown"] };

/** Beside an index, for a process that stays in memory and may load little else. */
const smallEntries = ["store/lease"];

/** Libraries that have one home each. `testkit` may use any of them. */
const homes: Readonly<Record<string, readonly string[]>> = {
  bullmq: ["queue"],
  ioredis: ["queue"],
  pg: ["store", "postgres", "queue"],
  pino: ["telemetry"],
  "prom-client": ["telemetry"],
  yaml: ["config"],
  openai: ["models"],
  fastify: ["app-gateway"],
  commander: ["app-cli"],
  uqr: ["app-cli", "app-gateway"],
  "discord.js": ["adapter-discord"],
  undici: ["adapter-kit"],
  grammy: ["adapter-telegram"],
  "@slack/bolt": ["adapter-slack"],
  "@slack/socket-mode": ["adapter-slack"],
  "@slack/web-api": ["adapter-slack"],
  "@whiskeysockets/baileys": ["adapter-whatsapp"],
  "@matrix-org/matrix-sdk-crypto-wasm": ["adapter-matrix"],
  "fake-indexeddb": ["adapter-matrix"],
  "matrix-js-sdk": ["adapter-matrix"],
  imapflow: ["adapter-email"],
  nodemailer: ["adapter-email"],
};

/** Everything a file imports. Statements begin at the start of a line, as the formatter leaves them. */
export function importsOf(source: string): readonly Import[] {
  const statement = /^(?:import|export)\s+(?:(type)\s+)?(?:([^;"'`]*?)\s*\bfrom\s+)?["']([^"']+)["']/gm;
  const statements = [...source.matchAll(statement)].map(([, type, names, specifier]) => ({
    specifier: specifier ?? "",
    isTypeOnly: type !== undefined || namesOnlyTypes(names),
  }));
  const dynamic = [...source.matchAll(/(typeof\s+)?\bimport\(\s*["']([^"']+)["']\s*\)/g)].map(
    ([, isTypeQuery, specifier]) => ({ specifier: specifier ?? "", isTypeOnly: isTypeQuery !== undefined }),
  );
  return [...statements, ...dynamic];
}

function namesOnlyTypes(names: string | undefined): boolean {
  const inner = /^\{([^}]*)\}$/.exec(names?.trim() ?? "")?.[1];
  if (inner === undefined) return false;
  const parts = inner.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "").every((part) => part.startsWith("type "));
}

/** What a workspace imports although it may not, one sentence each. Tests may import anything. */
export function importViolations(workspace: Pick<Workspace, "name" | "folder" | "sources">): readonly string[] {
  const self = workspace.name.replace("@talaria/", "");
  const permission = permissions[self] ?? (self.startsWith("adapter-") ? anAdapter : undefined);
  if (permission === undefined) return [`${workspace.name} is missing in the table of tests/architecture/imports.ts`];
  const files = workspace.sources.filter(({ path }) => !isTest(path));
  return files.flatMap((file) =>
    importsOf(file.text).flatMap((one) => {
      const fault = faultOf(one, file, self, workspace.folder, permission);
      return fault === undefined ? [] : [`${file.path}: ${fault}`];
    }),
  );
}

/** The index may offer equipment to the tests of others; nothing else in the package may lean on it. */
function faultOf(one: Import, file: SourceFile, self: string, folder: string, permission: Permission) {
  const { specifier } = one;
  if (specifier.startsWith(".")) {
    const target = new URL(specifier, `file:///${file.path}`).pathname.slice(1);
    if (!target.startsWith(`${folder}/`)) return `${specifier} leaves the package`;
    const isOffered = file.path === `${folder}/src/index.ts`;
    return isTest(target) && !isOffered ? `${specifier} is equipment of tests` : undefined;
  }
  if (!specifier.startsWith("@talaria/")) {
    const home = homes[packageOf(specifier)];
    const isAllowed = home === undefined || home.includes(self) || self === "testkit";
    return isAllowed ? undefined : `only ${home.join(", ")} may import ${packageOf(specifier)}`;
  }
  const target = specifier.replace("@talaria/", "");
  if (smallEntries.includes(target)) return undefined;
  if (target.includes("/")) return `${specifier} reaches behind the index of the package`;
  return isPermitted(target, one, permission) ? undefined : `${self} may not import ${target}`;
}

function isPermitted(target: string, { isTypeOnly }: Import, permission: Permission): boolean {
  if (permission.except?.some((name) => target === name || (name === "adapter" && target.startsWith("adapter-"))))
    return false;
  if (permission.values === anyPackage || permission.values.includes(target)) return true;
  return isTypeOnly && (permission.types?.includes(target) ?? false);
}

/** `grammy/types` belongs to `grammy`, `@scope/name/deep` to `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * Where `package.json` and the sources disagree. What only types or tests need may be declared or not. A package that is
 * not imported but served or looked up counts as used when its name stands in a source as a text.
 */
export function dependencyViolations(workspace: Workspace): readonly string[] {
  const all = workspace.sources.flatMap(({ path, text }) => importsOf(text).map((one) => ({ ...one, path })));
  const external = all.filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"));
  const used = external.filter(({ path }) => !isTest(path));
  const needed = new Set(used.filter(({ isTypeOnly }) => !isTypeOnly).map(({ specifier }) => packageOf(specifier)));
  const mentioned = new Set(used.map(({ specifier }) => packageOf(specifier)));
  const undeclared = [...needed].filter((name) => !workspace.dependencies.includes(name));
  const isNamed = (name: string) =>
    workspace.sources.some(({ path, text }) => !isTest(path) && text.includes(`"${name}"`));
  const unused = workspace.dependencies.filter((name) => !mentioned.has(name) && !isNamed(name));
  return [
    ...undeclared.map((name) => `${workspace.folder} uses ${name} without declaring it`),
    ...unused.map((name) => `${workspace.folder} declares ${name} without using it`),
  ];
}
