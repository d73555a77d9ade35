import { type Clock, instantOf, type Log } from "@talaria/protocol";
import type { Brought, ToolResultEntry, ToolWaitingEntry } from "./journal.ts";
import type { ToolCall } from "./model.ts";
import { storable } from "./text.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { toolResult } from "./tool-result.ts";
import { workWordsFor } from "./work-words.ts";

/** How long its end is told. The call's own time is shorter. */
const toldWithinMs = 24 * 60 * 60_000;
const shownChars = 200;

/** A call that is to go on beside its turn. */
export interface BesideCall {
  /** In a few words, at most 200 characters. The model's or a stranger's may be among them. */
  readonly shown: string;
  /** Addresses that it may have been agreed to for. */
  readonly addresses: readonly string[];
  readonly ranMs: number;
  /** Never rejects. */
  readonly ended: Promise<unknown>;
  /** Aborts it. `reason`: a sentence without its full stop. */
  stop(reason: string): void;
}

/** Makes it known to everybody who may end it: resolves with its name, such as `p35`, or undefined where it has to be waited for. */
export type NoteBeside = (call: BesideCall) => Promise<string | undefined>;

export interface RunningCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly startedAt: number;
  readonly end: Promise<ToolResultEntry | ToolWaitingEntry>;
  /** Whether it waits for people: they are asked in its turn. */
  asksPeople(): boolean;
  stop(reason: string): void;
}

export interface BesideDeps {
  readonly clock: Pick<Clock, "elapsed" | "now">;
  readonly log: Log;
  /** Of the turn. */
  readonly signal: AbortSignal;
  readonly noteBeside?: NoteBeside;
}

/**
 * Waits until a call ends or is let go. Resolves with what the model reads of one that goes on from here without its turn, and tells its
 * result later; undefined: it has ended, or has to be waited for. Never rejects.
 */
export async function goOnBeside(
  { call, tool, input, startedAt, end, asksPeople, stop }: RunningCall,
  { letGo, tellLater, ...read }: Pick<ToolContext, "letGo" | "tellLater" | "conversation" | "requesters">,
  { clock, log, signal, noteBeside }: BesideDeps,
): Promise<ToolResultEntry | undefined> {
  if (letGo === undefined || tellLater === undefined || noteBeside === undefined) return undefined;
  const words = tool.beside?.(input, workWordsFor(read));
  if (words === undefined) return undefined;
  let stopped: string | undefined;
  let last: ToolResultEntry | undefined;
  const ended = end.then(
    (result) => {
      last =
        result.kind === "tool.result" ? result : toolResult(call, "Error: it asks people, which it can't here.", true);
    },
    (error: unknown) => {
      log.warn({ tool: tool.name, error }, "the result of a call could not be made");
      last = toolResult(call, "Error: its result could not be made.", true);
    },
  );
  await Promise.race([ended, aborted(letGo)]);
  if (last !== undefined || asksPeople()) return undefined;
  const shown = storable(words).slice(0, shownChars).toWellFormed();
  const ranMs = clock.elapsed() - startedAt;
  const stopFor = (reason: string) => {
    stopped ??= reason;
    stop(reason);
  };
  const addresses = (tool.targets?.(input) ?? []).flatMap((target) => (target.kind === "url" ? [target.url] : []));
  const name = await noteBeside({ shown, addresses, ranMs, ended, stop: stopFor }).catch((error: unknown) => {
    log.warn({ tool: tool.name, error }, "a call is waited for: that it goes on could not be noted");
    return undefined;
  });
  if (name === undefined || last !== undefined || signal.aborted) return undefined;
  tellLater({
    ended,
    content: () => last && contentOf(last, stopped),
    brought: () => last && broughtBy(last),
    stop: async () => stopFor("somebody has stopped the turn"),
  });
  const seconds = ((clock.elapsed() - startedAt) / 1_000).toFixed(1);
  const text =
    `[still running after ${seconds} s: somebody has written, so it goes on beside your answers, as ${name}. Answer them now; ` +
    `its result comes by itself, so don't make the call again. People end it with /processes stop ${name}]`;
  const later = { waitsFor: "process", shown, expiresAt: instantOf(clock.now() + toldWithinMs) } as const;
  return { ...toolResult(call, text, false), nothingCame: true, later };
}

function contentOf({ content }: ToolResultEntry, stopped: string | undefined): string {
  return stopped === undefined ? content : `${content}\n[${stopped}]`;
}

function broughtBy({
  kind: _,
  callId: __,
  name: ___,
  content: ____,
  later: _____,
  ...brought
}: ToolResultEntry): Brought {
  return brought;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
