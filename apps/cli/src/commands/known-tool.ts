import { type Asking, isOfferedTo, type ToolOfServer, tellersOf, toolOfServer } from "@talaria/app-worker";
import type { TalariaConfig } from "@talaria/config";
import type { PolicyRequest } from "@talaria/policy";
import type { Target } from "@talaria/protocol";
import { describedTools } from "@talaria/tools";

/** What is known of a tool before it is called, and of its place in this configuration. */
export interface KnownTool {
  /** Absent: a tool of the operator's own, of which the options have to tell. */
  readonly described?: Pick<ToolOfServer["tool"], "effect" | "permissions" | "describedBy">;
  /** Absent: the options say what the call touches. Throws for a target that its calls can't have. */
  readonly targetsWith?: (target: string | boolean | undefined) => readonly Target[];
  /** Descriptions of MCP servers have tainted the session before anybody has said a word. */
  readonly isTold: boolean;
  /** Somebody of this role has it there. */
  readonly isOffered: boolean;
  /** Sentences for whoever asks. */
  readonly notes: readonly string[];
}

/** `requestWith`: the call in question, once it is known what it touches. Connects to no server. */
export async function knownTool(
  name: string,
  config: TalariaConfig,
  requestWith: (known: Partial<KnownTool>) => PolicyRequest,
): Promise<KnownTool> {
  const served = await toolOfServer(name, config);
  const builtin = describedTools().find((tool) => tool.name === name);
  const described = served?.tool ?? builtin;
  const own = {
    ...(described && { described }),
    ...(served && { targetsWith: (target: string | boolean | undefined) => targetsOf(served, target) }),
  };
  const request = requestWith(own);
  const tellers = await tellersOf({ effect: request.effect, ...described }, request, config);
  const isOffered = builtin === undefined ? isServed(served, request, config) : namesFor(request).has(name);
  return {
    ...own,
    isTold: tellers.length > 0,
    isOffered,
    notes: [
      ...(served === undefined ? [] : [natureOf(served)]),
      ...(isOffered ? [] : [whyNot(served, builtin !== undefined)]),
      ...(tellers.length === 0
        ? []
        : [
            `Untrusted content is what the MCP servers ${tellers.join(", ")} say of their tools, unless policy.trusted names them.`,
          ]),
    ],
  };
}

function isServed(served: ToolOfServer | undefined, request: PolicyRequest, config: TalariaConfig): boolean {
  if (served?.isLeftOut) return false;
  const { tool: name, effect, permissions } = request;
  return isOfferedTo(served?.tool ?? { name, effect, permissions }, request, config);
}

/** The names of the tools of ours that somebody of this role has there. */
function namesFor({ place, role }: Asking): ReadonlySet<string> {
  const kind = place === "group" ? "group" : "direct";
  const platform = place === "webhook" ? "webhook" : "web";
  return new Set(describedTools({ conversation: { kind, platform }, role }).map(({ name }) => name));
}

function natureOf({ server, nameThere, tool }: ToolOfServer): string {
  const key = `mcp.servers.${server}.reads`;
  if (tool.effect === "write") return `It changes something, since ${key} does not name ${nameThere}.`;
  return `It only looks, since ${key} names ${nameThere}; unless the server itself says that it changes something.`;
}

function whyNot(served: ToolOfServer | undefined, isBuiltIn: boolean): string {
  if (served?.isLeftOut) return `mcp.servers.${served.server}.tools does not name it.`;
  if (isBuiltIn) return "Which tools of ours are there, docs/tools.md says: rules take away from them and add none.";
  return "A rule that allows it, or asks, and says `in` and, for guests, `as: guest`, makes it one of theirs.";
}

/** An address that a tool of a server is called with is a target beside the server, where it only looks. */
function targetsOf({ tool, targets }: ToolOfServer, target: string | boolean | undefined): readonly Target[] {
  if (typeof target !== "string") return targets;
  if (tool.effect === "read") return [...targets, { kind: "url", url: target, sendsBody: false }];
  throw new Error("what a changing tool of an MCP server touches is the server itself: leave out --target");
}
