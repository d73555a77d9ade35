import type { Tool } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { decide, placeOf, policyTable, type RuleName, rightsOf } from "@talaria/policy";
import { type AccountId, type Clock, type Log, rolesIn, type SessionKey } from "@talaria/protocol";
import type { CallStore, OpenCall, QuestionToReview } from "@talaria/store";
import { createSearch, describedTools, type ToolFiles } from "@talaria/tools";
import { targetsOf } from "./authorise.ts";
import { commandReach } from "./command-reach.ts";
import { toolOfServer } from "./explained-call.ts";
import { secretHandles } from "./secret-handles.ts";

/** The pause before those are tried again that could not be read or settled, and how often they are. */
const retryMs = 15_000;
const mostTries = 40;

export interface ForbiddenQuestionsDeps {
  readonly config: Pick<TalariaConfig, "mcp" | "policy" | "sandbox" | "web">;
  readonly calls: Pick<CallStore, "questions" | "forbid" | "homes">;
  /** The operator's own. */
  readonly toolFiles: Pick<ToolFiles, "tools">;
  /** Both are lossy and never throw. */
  readonly wake: (sessionKey: SessionKey) => void;
  readonly deliver: (accountId: AccountId) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Denies what waits for somebody's approval and what the rules of this configuration deny by now, wherever it was asked: a rule that was
 * added wins at once, and not only when the call would run. Looks at all of it once, page by page; while the database is away, tries
 * again for ten minutes. Several workers may do it: whatever is settled first counts. Connects to no server. A call of which the
 * configuration does not tell what it touches is left: it is decided again when it would run.
 */
export function denyForbiddenQuestions(deps: ForbiddenQuestionsDeps): { readonly done: Promise<void>; stop(): void } {
  const stopping = new AbortController();
  return { done: denyPatiently(deps, stopping.signal), stop: () => stopping.abort() };
}

async function denyPatiently(deps: ForbiddenQuestionsDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps;
  for (let tries = 0; tries < mostTries && !signal.aborted; tries += 1) {
    const left = await denyAll(deps, signal).catch((error: unknown) => error);
    if (left === undefined || signal.aborted) return;
    log.warn({ error: left }, "questions that wait could not be compared with the policy: it is tried again");
    await clock.sleep(retryMs, signal).catch(() => undefined);
  }
}

/** One that can't be settled now, for example since its session is locked, keeps no other one waiting. Returns the last error. */
async function denyAll(deps: ForbiddenQuestionsDeps, signal: AbortSignal): Promise<unknown> {
  const { calls, wake, deliver, log } = deps;
  let failure: unknown;
  let after: string | undefined;
  let ruleFor: Review | undefined;
  const told = new Set<AccountId>();
  do {
    const { questions, next } = await calls.questions(after);
    if (questions.length > 0) ruleFor ??= await createReview(deps);
    for (const question of questions) {
      if (signal.aborted) return undefined;
      const { id, sessionKey, name: tool, route } = question.call;
      const rule = await ruleFor?.(question);
      if (rule === undefined) continue;
      const isForbidden = await calls.forbid({ id, sessionKey }, rule.text).catch((error: unknown) => {
        failure = error;
        return false;
      });
      if (!isForbidden) continue;
      log.info({ sessionKey, tool, rule: rule.id }, "a call that waited is denied by now");
      wake(sessionKey);
      if (!told.has(route.accountId)) deliver(route.accountId);
      told.add(route.accountId);
    }
    after = next;
  } while (after !== undefined);
  // Owners were asked at their homes, too.
  if (told.size > 0) for (const { conversation } of await calls.homes()) deliver(conversation.accountId);
  return failure;
}

type Review = (question: QuestionToReview) => Promise<RuleName | undefined>;

/** The rule that denies a call, whatever else its turn has read: taint and known addresses make nothing denied. */
async function createReview({ config, toolFiles }: ForbiddenQuestionsDeps): Promise<Review> {
  const table = policyTable(config.policy);
  const commands = commandReach(config.sandbox);
  const ours = [...ownTools(config), ...(await toolFiles.tools(new Set()))];
  return async ({ call, conversation }) => {
    const role = rightsOf(rolesIn(call.askers));
    const tools = await toolsCalled(call.name, ours, config);
    const verdicts = tools.map((tool) => {
      const input = inputOf(call, tool);
      if (input === undefined) return undefined;
      const { name, effect, permissions } = tool;
      const targets = targetsOf(tool, input, commands === undefined ? {} : { commands });
      const place = placeOf(conversation);
      return decide({ tool: name, effect, permissions, targets, place, role, isTainted: false }, table);
    });
    const isDenied = verdicts.every((verdict) => verdict?.decision === "deny");
    return isDenied ? verdicts[0]?.rule : undefined;
  };
}

/** Those of ours, as this installation has them: where searches and secrets go is a target. */
function ownTools({ web, sandbox }: ForbiddenQuestionsDeps["config"]): readonly Tool[] {
  const search = web.search && createSearch(web.search);
  return describedTools(undefined, { ...(search && { search }), secrets: secretHandles(sandbox) });
}

/** What may have been called: of a server's tool that only looks, the server may have said that it changes something. None: it isn't known. */
async function toolsCalled(
  name: string,
  ours: readonly Tool[],
  config: ForbiddenQuestionsDeps["config"],
): Promise<readonly Tool[]> {
  const own = ours.find((tool) => tool.name === name);
  if (own !== undefined) return [own];
  const served = await toolOfServer(name, config).catch(() => undefined);
  if (served === undefined) return [];
  if (served.tool.effect === "write") return [served.tool];
  const servers = Object.entries(config.mcp.servers).map(([server, entry]) => [server, { ...entry, reads: [] }]);
  const changing = await toolOfServer(name, {
    ...config,
    mcp: { ...config.mcp, servers: Object.fromEntries(servers) },
  });
  return changing === undefined ? [] : [served.tool, changing.tool];
}

/** Undefined for arguments that this tool does not take by now: then it would not run either. */
function inputOf({ arguments: text }: OpenCall, tool: Tool): unknown {
  try {
    const { success, data } = tool.input.safeParse(JSON.parse(text.trim() === "" ? "{}" : text));
    return success ? data : undefined;
  } catch {
    return undefined;
  }
}
