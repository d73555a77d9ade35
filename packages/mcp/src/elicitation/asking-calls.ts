import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolContext } from "@talaria/agent";
import { type Clock, isGatewayError, type Log } from "@talaria/protocol";
import type { AskPerson, PersonAnswer, PersonQuestion } from "../ports.ts";
import { problemText } from "../untrusted.ts";
import { askForm, type FormEnd } from "./ask-form.ts";
import { askUrl } from "./ask-url.ts";
import { formFields } from "./form-fields.ts";
import type { AskingTool } from "./form-text.ts";

/** Forms and pages that a server may ask for in one call. */
const mostAsked = 3;
/** What people have for all of them together. The time limit of the call stands still meanwhile. */
export const mostAskedMs = 900_000;

export interface AskingDeps {
  readonly ask: AskPerson;
  readonly clock: Pick<Clock, "elapsed">;
  readonly log: Log;
}

interface RunningCall {
  readonly tool: AskingTool;
  readonly context: Pick<ToolContext, "turnId" | "callId" | "signal" | "untimed" | "progress">;
  /** One after the other. */
  last: Promise<unknown>;
  asked: number;
  askedMs: number;
  /** Why people were not asked. */
  readonly declined: string[];
}

/** `elicitation/create` of MCP 2025-11-25, as far as it says what is asked. */
export type Elicited =
  | { readonly mode?: "form" | undefined; readonly message: string; readonly requestedSchema: unknown }
  | { readonly mode: "url"; readonly message: string; readonly url: string };

/** What a server asks people while it is called. */
export class AskingCalls {
  readonly #deps: AskingDeps;
  readonly #running = new Set<RunningCall>();
  /** Over HTTP and in the new era, what a server asks comes with the answer to its call. */
  readonly #origin = new AsyncLocalStorage<RunningCall>();

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  /** Runs a call, whose server may ask meanwhile. `declined` gets the reasons why people were not asked. */
  async during<Result>(
    tool: AskingTool,
    context: RunningCall["context"],
    work: () => Promise<Result>,
    declined: string[] = [],
  ): Promise<Result> {
    const call: RunningCall = { tool, context, last: Promise.resolve(), asked: 0, askedMs: 0, declined };
    this.#running.add(call);
    try {
      return await this.#origin.run(call, work);
    } finally {
      this.#running.delete(call);
    }
  }

  /** Resolves with what people answer: never rejects. What belongs to no call, or perhaps to another one, nobody is asked. */
  async answer(elicited: Elicited, signal: AbortSignal): Promise<FormEnd> {
    const call = this.#callOf();
    const { log } = this.#deps;
    if (call === undefined) {
      log.warn({ running: this.#running.size }, "MCP server asks people, and it is not known for which call: declined");
      return { action: "decline" };
    }
    call.asked += 1;
    if (call.asked > mostAsked) return this.#declined(call, `it asks more than ${mostAsked} times in one call`);
    const turn = call.last.then(() => this.#ask(call, elicited, AbortSignal.any([signal, call.context.signal])));
    call.last = turn;
    return await turn;
  }

  #callOf(): RunningCall | undefined {
    const origin = this.#origin.getStore();
    if (origin !== undefined) return this.#running.has(origin) ? origin : undefined;
    const [only] = this.#running;
    return this.#running.size === 1 ? only : undefined;
  }

  async #ask(call: RunningCall, elicited: Elicited, signal: AbortSignal): Promise<FormEnd> {
    const { clock, log } = this.#deps;
    const { tool, context } = call;
    const beganAt = clock.elapsed();
    const until = beganAt + mostAskedMs - call.askedMs;
    const ask = async (question: Omit<PersonQuestion, "withinMs">): Promise<PersonAnswer> => {
      const withinMs = until - clock.elapsed();
      if (signal.aborted || withinMs <= 0) return { status: "unanswered" };
      return await this.#deps.ask(context, { ...question, withinMs }, signal);
    };
    const asking = () =>
      elicited.mode === "url" ? askUrl(tool, elicited, ask) : askForm(tool, elicited.message, fieldsOf(elicited), ask);
    try {
      return await (context.untimed?.(asking) ?? asking());
    } catch (error) {
      if (isGatewayError(error, "invalid_request")) return this.#declined(call, error.message);
      log.warn({ error }, "people could not be asked what an MCP server wants to know");
      return { action: "cancel" };
    } finally {
      call.askedMs += clock.elapsed() - beganAt;
    }
  }

  #declined({ tool, context, declined }: RunningCall, why: string): FormEnd {
    const problem = problemText(why);
    if (declined.length < mostAsked) declined.push(problem);
    this.#deps.log.warn({ tool: tool.nameThere, problem }, "what an MCP server asks people was declined");
    context.progress(`declined a question of ${tool.server}: ${problem}`);
    return { action: "decline" };
  }
}

function fieldsOf(elicited: Elicited) {
  return formFields("requestedSchema" in elicited ? elicited.requestedSchema : undefined, elicited.message);
}
