import type {
  AssistantMessage,
  ModelDone,
  ModelFailureKind,
  ModelMessage,
  ModelPort,
  ModelRequest,
  ToolSpec,
} from "@talaria/agent";
import { brandAs, GatewayError, type SessionKey } from "@talaria/protocol";

const word = "heliotrope";
const tool: ToolSpec = {
  name: "word_of_the_day",
  description: "Gives the word of the day.",
  parameters: { type: "object", properties: {} },
};
const task: ModelMessage = {
  role: "user",
  content: "Call the tool word_of_the_day. Then answer with the word that it gives, and nothing else.",
};

/** What a model has shown. */
export interface ModelProof {
  /** The model that really answered. */
  readonly servedBy: string;
  readonly answer: string;
}

/** What a model has not shown, and why: it failed, called no tool, or did not read what the tool gave. */
export class UnprovenModel extends GatewayError {
  readonly why: ModelFailureKind | "no_tools" | "not_read";

  constructor(message: string, why: UnprovenModel["why"]) {
    super(message, { code: why === "no_tools" || why === "not_read" ? "unsupported" : "unavailable" });
    this.why = why;
  }
}

/**
 * Has the model call a tool and answer with what it gave: what an agent needs. Two requests. Throws `UnprovenModel`.
 */
export async function proveModel(model: ModelPort, signal: AbortSignal): Promise<ModelProof> {
  const first = await answerOf(model, [task], signal);
  const call = first.toolCalls.find(({ name }) => name === tool.name);
  if (call === undefined)
    throw new UnprovenModel(
      "the model answered, but did not call the tool it was asked to call: choose another model",
      "no_tools",
    );
  const results = first.toolCalls.map(({ callId, name }): ModelMessage => {
    const isError = name !== tool.name;
    return { role: "tool", callId, name, content: isError ? "Error: there is no such tool" : word, isError };
  });
  const { content, servedBy } = await answerOf(model, [task, first, ...results], signal);
  if (!content.toLowerCase().includes(word))
    throw new UnprovenModel("the model called the tool, but did not read its result: choose another model", "not_read");
  return { servedBy, answer: content.trim() };
}

async function answerOf(
  model: ModelPort,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): Promise<AssistantMessage & Pick<ModelDone, "servedBy">> {
  const request: ModelRequest = {
    system: "You are being tried out. Do exactly what you are asked to do.",
    messages,
    tools: [tool],
    cacheKey: brandAs<SessionKey>("setup"),
  };
  for await (const event of model.stream(request, signal)) {
    if (event.type === "done") return { ...event.message, servedBy: event.servedBy };
    if (event.type === "failed") throw new UnprovenModel(event.error.message, event.error.kind);
  }
  throw new UnprovenModel("the model's answer had no end", "truncated");
}
