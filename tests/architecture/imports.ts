import { isTest, type SourceFile, type Workspace } from "./repository.ts";

/** One import statement, export from, or `import("...")`. */
export interface Import {
  readonly specifier: string;
  /** What stands between the braces, where there are some. */
  readonly names: readonly string[];
  /** Nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

const anyPackage = "any";
/** Stands for the package of every platform. */
const adapters = "adapter-*";

interface Permission {
  /** Packages of ours, without `@talaria/`. */
  readonly values: readonly string[] | typeof anyPackage;
  /** Further ones whose types alone may be imported. */
  readonly types?: readonly string[];
  readonly except?: readonly string[];
  /** Packages of which only these names may be imported. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
}

const onlyProtocol: Permission = { values: ["protocol"] };

/** Who may import whom. Imports point towards `protocol`. */
const permissions: Readonly<Record<string, Permission>> = {
  protocol: { values: [] },
  markdown: { values: [] },
  search: { values: [] },
  "foreign-content": onlyProtocol,
  "guarded-process": { values: [] },
  documents: { values: ["protocol", "foreign-content", "guarded-process"] },
  config: { values: ["protocol", "policy"] },
  telemetry: onlyProtocol,
  postgres: onlyProtocol,
  adapter: onlyProtocol,
  agent: { values: ["protocol", "words"] },
  queue: onlyProtocol,
  store: { values: ["protocol", "search"] },
  policy: onlyProtocol,
  words: { values: ["protocol", "policy"], types: ["store"] },
  sessions: { values: ["protocol", "policy", "words"], types: ["store"] },
  models: { values: ["protocol", "agent"] },
  tools: { values: ["protocol", "agent", "documents", "foreign-content", "guarded-process"] },
  sandbox: { values: ["protocol", "agent", "foreign-content"] },
  mcp: { values: ["protocol", "agent"] },
  memory: { values: ["protocol", "agent"] },
  skills: { values: ["protocol", "config", "agent", "memory"] },
  delivery: { values: ["protocol", "adapter", "store", "markdown", "words"] },
  "adapter-kit": { values: ["protocol", "adapter", "foreign-content"] },
  testkit: { values: ["protocol", "adapter"] },
  platforms: { values: ["protocol", "adapter", adapters] },
  "app-console": { values: [] },
  // The agent never runs where connections are held, and a connection never where the agent runs. Platforms are reached
  // through their registry alone, of which a worker reads the hints.
  "app-gateway": {
    values: anyPackage,
    types: [adapters],
    except: ["agent", "models", "tools", "documents", "app-cli", "app-gateway", "app-worker", adapters],
  },
  "app-worker": {
    values: anyPackage,
    except: ["adapter", "adapter-kit", "delivery", "app-cli", "app-gateway", "app-console", adapters],
    only: { platforms: ["hintOf"] },
  },
  "app-cli": { values: anyPackage, except: ["app-console", adapters] },
};

const anAdapter: Permission = { values: ["protocol", "adapter", "adapter-kit", "foreign-content", "markdown"] };

/** Parts of packages that have an entry of their own, for processes that must not load the rest. */
const entries = ["adapter-kit/settings", "foreign-content/text", "postgres/process-info", "store/lease"];

/**
 * Libraries that have one home each; `testkit` may use any of them. Those of a platform are not listed: they are at home
 * where its package declares them, and `homeViolations` finds other users.
 */
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
  "@clack/prompts": ["app-cli"],
  uqr: ["app-cli", "app-gateway"],
  htmlparser2: ["foreign-content", "documents"],
  "pdfjs-dist": ["documents"],
  "postal-mime": ["documents"],
  yauzl: ["documents"],
  undici: ["adapter-kit", "tools"],
  "playwright-core": ["tools"],
  "@anthropic-ai/sdk": ["models"],
  "@anthropic-ai/sandbox-runtime": ["sandbox"],
  dockerode: ["sandbox"],
  "node-forge": ["sandbox"],
  ssh2: ["sandbox"],
  e2b: ["sandbox"],
  modal: ["sandbox"],
};

/** Everything a file imports. Statements begin at the start of a line, as the formatter leaves them. */
export function importsOf(source: string): readonly Import[] {
  const statement = /^(?:import|export)\s+(?:(type)\s+)?(?:([^;"'`]*?)\s*\bfrom\s+)?["']([^"']+)["']/gm;
  const statements = [...source.matchAll(statement)].map(([, type, names, specifier]) => ({
    specifier: specifier ?? "",
    isTypeOnly: type !== undefined || namesOnlyTypes(names),
    names: namesIn(names),
  }));
  const dynamic = [...source.matchAll(/(typeof\s+)?\bimport\(\s*["']([^"']+)["']\s*\)/g)].map(
    ([, isTypeQuery, specifier]) => ({ specifier: specifier ?? "", isTypeOnly: isTypeQuery !== undefined, names: [] }),
  );
  return [...statements, ...dynamic];
}

function namesIn(names: string | undefined): readonly string[] {
  const inner = /^\{([^}]*)\}$/.exec(names?.trim() ?? "")?.[1] ?? "";
  return inner.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

function namesOnlyTypes(names: string | undefined): boolean {
  const parts = namesIn(names);
  return parts.length > 0 && parts.every((part) => part.startsWith("type "));
}

/** What a workspace imports although it may not, one sentence each. Tests may import anything. */
export function importViolations(workspace: Pick<Workspace, "name" | "folder" | "sources">): readonly string[] {
  const self = workspace.name.replace("@talaria/", "");
  const permission = permissions[self] ?? (isAdapter(self) ? anAdapter : undefined);
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
  if (target.includes("/") && !entries.includes(target)) return `${specifier} reaches behind the index of the package`;
  if (!isPermitted(target.split("/")[0] ?? "", one, permission)) return `${self} may not import ${target}`;
  const allowed = permission.only?.[target];
  const isWithin = allowed === undefined || (one.names.length > 0 && one.names.every((name) => allowed.includes(name)));
  return isWithin ? undefined : `${self} may import only ${allowed.join(", ")} of ${target}`;
}

function isPermitted(target: string, { isTypeOnly }: Import, permission: Permission): boolean {
  const isListed = (names: readonly string[] = []) =>
    names.includes(target) || (names.includes(adapters) && isAdapter(target));
  if (isTypeOnly && isListed(permission.types)) return true;
  if (isListed(permission.except)) return false;
  return permission.values === anyPackage || isListed(permission.values);
}

/** Whether a package, named without `@talaria/`, is that of a platform. */
function isAdapter(name: string): boolean {
  return name.startsWith("adapter-") && name !== "adapter-kit";
}

/** `grammy/types` belongs to `grammy`, `@scope/name/deep` to `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Libraries that every package may declare. */
const shared = ["zod"];

/** Libraries of each platform's package: those that loading its module alone must not load. */
export function librariesOf({ name, dependencies }: Pick<Workspace, "name" | "dependencies">): readonly string[] {
  if (!isAdapter(name.replace("@talaria/", ""))) return [];
  return dependencies.filter((one) => !one.startsWith("@talaria/") && !shared.includes(one));
}

/** Libraries of a platform that a second package declares, one sentence each. */
export function homeViolations(workspaces: readonly Pick<Workspace, "name" | "dependencies">[]): readonly string[] {
  return workspaces.flatMap((home) =>
    librariesOf(home).flatMap((library) =>
      workspaces
        .filter(({ name, dependencies }) => name !== home.name && dependencies.includes(library))
        .map(({ name }) => `${name} declares ${library}, which is at home in ${home.name}`),
    ),
  );
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
