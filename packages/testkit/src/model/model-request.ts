export interface WirePart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url?: unknown };
}

export interface WireMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: string | readonly WirePart[] | null;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface WireTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** One request for an answer, as it came over the wire. */
export interface ModelRequest {
  /** The body, untouched. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Text of the last message a user wrote, or "", without the marks around values of webhooks and the notes of times. */
  readonly lastUserText: string;
  /** Every picture in the order of the messages, as bytes. */
  readonly images: readonly Buffer[];
  /** Texts of the tool results since the last assistant message, in order. */
  readonly toolResults: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Milliseconds on the server's clock. */
  readonly at: number;
  /** Aborted when the client hangs up before the answer is complete. */
  readonly hungUp: AbortSignal;
}

export function toModelRequest(
  body: Record<string, unknown>,
  facts: Pick<ModelRequest, "headers" | "at" | "hungUp">,
): ModelRequest {
  const messages = (Array.isArray(body.messages) ? body.messages : []) as WireMessage[];
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
  return {
    ...facts,
    body,
    model: String(body.model ?? ""),
    messages,
    tools: (Array.isArray(body.tools) ? body.tools : []) as WireTool[],
    stream: body.stream === true,
    includeUsage: options?.include_usage === true,
    lastUserText: textOf(messages.findLast((message) => message.role === "user")).replace(
      /<\/?value\b[^>]*>|^<note>\w{3} [-\d]{10} [:\d]{5} UTC<\/note>\n/gm,
      "",
    ),
    images: messages.flatMap(imagesOf),
    toolResults: messages
      .slice(lastAnswer + 1)
      .filter((message) => message.role === "tool")
      .map(textOf),
  };
}

function imagesOf({ content }: WireMessage): readonly Buffer[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly WirePart[]).flatMap(({ image_url }) => {
    const data = /^data:[^,]*;base64,(.*)$/s.exec(String(image_url?.url ?? ""))?.[1];
    return data === undefined ? [] : [Buffer.from(data, "base64")];
  });
}

/** The text of a message, its parts joined. */
export function textOf(message: WireMessage | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
