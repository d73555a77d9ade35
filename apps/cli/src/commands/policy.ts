import { hostsOf } from "@talaria/config";
import {
  type Decision,
  decide,
  type ExplainedVerdict,
  explain,
  type PolicyRequest,
  type PolicyTable,
  places,
  policyTable,
  targetKindOf,
} from "@talaria/policy";
import {
  addressOfCommandHost,
  commandHostFault,
  coversHost,
  type Permission,
  permissions,
  roles,
  type Target,
} from "@talaria/protocol";
import { describedTools } from "@talaria/tools";
import { loadHome } from "../load-home.ts";
import { shownWord } from "../shown-word.ts";
import { type KnownTool, knownTool } from "./known-tool.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** `talaria policy explain TOOL`: what is decided about one call, by which rule, and which rules lost. Starts nothing. */
export async function explainTool(options: Options, tool = ""): Promise<void> {
  const { config } = await loadHome(options, process.env);
  const known = await knownTool(tool, config, (own) => requestFor(tool, options, own));
  const request = requestFor(tool, options, known, hostsOf(config.sandbox.network));
  const table = policyTable(config.policy);
  const { isOffered } = known;
  if (options.json === true)
    console.log(JSON.stringify({ request, isOffered, decision: decide(request, table) }, null, 2));
  else for (const line of explanation(request, table, known)) console.log(line);
}

/** The call that the options describe. `open`: the operator's hosts for commands. Throws for words that mean nothing. */
export function requestFor(
  tool: string,
  options: Options,
  known: Partial<KnownTool> = {},
  open: readonly string[] = [],
): PolicyRequest {
  const described = known.described ?? describedTools().find(({ name }) => name === tool);
  const declared = listOf(options.permission, permissions, "--permission") ?? described?.permissions;
  if (declared === undefined)
    throw new Error(
      `${shownWord(tool)} is not built in: say what it touches with --permission, for example --permission net,exec`,
    );
  const isOutward = options.outward === true;
  return {
    tool,
    effect: described?.effect ?? (isOutward || !declared.every((one) => reads.includes(one)) ? "write" : "read"),
    permissions: declared,
    targets: known.targetsWith?.(options.target) ?? targetsFor(declared, options, open),
    place: oneOf(options.in ?? "direct", places, "--in"),
    role: oneOf(options.as ?? "member", roles, "--as"),
    isTainted: options.tainted === true || known.isTold === true,
  };
}

/** Permissions of tools that change nothing, as far as a permission says that. */
const reads: readonly Permission[] = ["clock", "conversation.read", "fs.read", "net"];

/** Plain sentences: the decision, then each act with its rule and the rules that lost. */
export function explanation(
  request: PolicyRequest,
  table: PolicyTable,
  { isOffered = true, notes = [] }: Partial<KnownTool> = {},
): readonly string[] {
  const { decision, approver } = decide(request, table);
  const who = `${request.role === "unverified" ? "somebody unverified" : article(request.role)} in a ${placeNames[request.place]}`;
  const taint = request.isTainted ? ", after untrusted content" : "";
  const by = approver === undefined ? "" : `, and ${article(approver)} has to agree`;
  const outcome = isOffered ? `${outcomes[decision]}${by}` : "not offered to the agent";
  return [
    `${request.tool} for ${who}${taint}: ${outcome}.`,
    ...notes,
    ...explain(request, table).flatMap((verdict) => ["", ...linesFor(verdict)]),
  ];
}

const outcomes: Readonly<Record<Decision, string>> = { allow: "allowed", ask: "asked", deny: "denied" };
const placeNames = { direct: "direct conversation", group: "group", webhook: "webhook's turn" } as const;

function linesFor({ act, decision, rule, lost }: ExplainedVerdict): readonly string[] {
  const { permission = "no permission", target } = act;
  const about =
    target === undefined || textOf(target) === "" ? permission : `${permission} ${JSON.stringify(textOf(target))}`;
  return [
    `${about}: ${outcomes[decision]} by ${rule.id}: ${rule.text}`,
    ...lost.map((one) => `  not counted: ${one.rule.id} (${one.rule.decision}), since ${one.why}: ${one.rule.text}`),
  ];
}

function textOf(target: Target): string {
  if (target.kind === "command") return typeof target.command === "string" ? target.command : target.command.join(" ");
  if (target.kind === "url") return target.host ?? target.url;
  if (target.kind === "secret") return target.name;
  return target.kind === "path" ? target.path : target.recipient;
}

/** Permissions for the same kind of thing mean one thing: a file that is read and written. */
function targetsFor(permissions: readonly Permission[], options: Options, open: readonly string[]): readonly Target[] {
  const targets = permissions.flatMap((permission) => targetFor(permission, options));
  const each = [...new Map(targets.map((target) => [target.kind, target])).values()];
  const hosts = hostsIn(options);
  if (hosts.length === 0) return each;
  if (!permissions.includes("exec")) throw new Error("--network goes with a tool that runs commands");
  const named = hosts.map((host): Target => {
    const isOpen = coversHost(open, host);
    return { kind: "url", url: addressOfCommandHost(host), sendsBody: true, isKnown: true, host, isOpen };
  });
  return [...named, ...each.map((target) => (target.kind === "command" ? { ...target, hosts } : target))];
}

/** The hosts that a command names. */
function hostsIn({ network }: Options): readonly string[] {
  if (typeof network !== "string") return [];
  return network.split(",").map((text) => {
    const [host, fault] = [text.trim(), commandHostFault(text.trim())];
    if (fault !== undefined) throw new Error(`--network: ${shownWord(host)} ${fault}`);
    return host;
  });
}

/** Without `--target`: any command, any file. */
function targetFor(permission: Permission, { target, outward, outside }: Options): readonly Target[] {
  const [isOutward, isOutside] = [outward === true, outside === true];
  const kind = targetKindOf(permission);
  const text = typeof target === "string" ? target : undefined;
  if (kind === "path") return [{ kind, path: text ?? "", isInWorkspace: !isOutside }];
  if (kind === "command") return [{ kind, command: text ?? "", isSandboxed: !isOutside, hasNetwork: isOutward }];
  if (text === undefined) return [];
  if (kind === "url") return [{ kind, url: text, sendsBody: isOutward }];
  if (kind === "secret") return [{ kind, name: text, hosts: [] }];
  return kind === "recipient" ? [{ kind, recipient: text, isOrigin: false }] : [];
}

function article(role: "owner" | "member" | "guest"): string {
  return role === "owner" ? "an owner" : `a ${role}`;
}

function oneOf<Name extends string>(given: string | boolean, names: readonly Name[], option: string): Name {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new Error(`${option} has to be one of ${names.join(", ")}`);
  return found;
}

function listOf<Name extends string>(
  given: string | boolean | undefined,
  names: readonly Name[],
  option: string,
): readonly Name[] | undefined {
  if (typeof given !== "string") return undefined;
  return given.split(",").map((one) => oneOf(one.trim(), names, option));
}
