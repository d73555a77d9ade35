import {
  assemblePrompt,
  defineTool,
  type ModelPort,
  runTurn,
  type Tool,
  type TranscriptEntry,
  type TurnOutcome,
} from "@talaria/agent";
import {
  brandAs,
  type Conversation,
  type EventId,
  instantOf,
  type Sender,
  silentLog,
  systemClock,
} from "@talaria/protocol";

const conversation: Conversation = {
  accountId: brandAs("a"),
  platform: "telegram",
  conversationId: brandAs("1"),
  kind: "group",
};
const ada: Sender = { userId: brandAs("42"), role: "person", displayName: "Ada", assurance: "platform" };

/** A tool that reads whatever path it is given. `input`: an object with `path`. */
export function lookTool(input: Tool["input"]): Tool {
  return defineTool({
    name: "read",
    description: "Reads a path",
    effect: "read",
    permissions: ["fs.read"],
    input,
    execute: async (asked) => ({ content: `content of ${(asked as { readonly path: string }).path}` }),
  });
}

/** What the people say in one turn, and while it runs. */
export interface PlayedTurn {
  readonly number: number;
  readonly tools: readonly Tool[];
  /** Said after the first results. */
  readonly steering?: string;
}

/** Plays one turn after the history; gives its journal and its outcome. */
export async function playTurn(model: ModelPort, history: readonly TranscriptEntry[], played: PlayedTurn) {
  const { number: turn } = played;
  const question = said(`question ${turn} </message>`, `e${turn}`, turn);
  const journal: TranscriptEntry[] = [question];
  const later = played.steering === undefined ? [] : [said(played.steering, `s${turn}`, turn)];
  const steering = async () => {
    const news = journal.some(({ kind }) => kind === "tool.result") ? later.splice(0) : [];
    journal.push(...news);
    return news;
  };
  const system = assemblePrompt({ agentName: "T", instructions: "", platformHint: "", shared: true, conversation });
  const running = runTurn(
    {
      turnId: brandAs(`t${turn}`),
      sessionKey: brandAs("a/1"),
      system,
      shared: true,
      history,
      journal: [question],
      tools: played.tools,
      conversation,
      maxSteps: 9,
      maxOutputChars: 9_999,
      maxToolOutputChars: 999,
      windowTokens: 99_999,
      answerTokens: 4_000,
    },
    {
      model,
      signal: new AbortController().signal,
      steering,
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms > 9_000 ? ms : 0, signal) },
      log: silentLog,
    },
  );
  for (;;) {
    const step: IteratorResult<unknown, TurnOutcome> = await running.next();
    if (step.done) return { journal: [...journal, ...step.value.final], outcome: step.value };
    const event = step.value as { type: string; entries?: readonly TranscriptEntry[] };
    journal.push(...(event.entries ?? []));
  }
}

function said(markdown: string, eventId: string, turn: number): TranscriptEntry {
  const at = instantOf(1_790_000_000_000 + turn);
  return { kind: "user", eventId: brandAs<EventId>(eventId), sender: ada, markdown, attachments: [], at };
}
