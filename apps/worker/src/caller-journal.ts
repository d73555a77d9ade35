import type { ToolResultEntry, TranscriptEntry, UserEntry } from "@talaria/agent";
import { brandAs, type Conversation, instantOf, type Platform, type Role, type Sender } from "@talaria/protocol";

/** So many results count in full, for addresses and files in them. Of older ones stays that they were there. */
const mostResults = 100;
const platform: Platform = "mcp";

/** What a caller over MCP has asked for and was given, as far as rights depend on it. */
export class CallerJournal {
  readonly conversation: Conversation;
  readonly sender: Sender;
  readonly #asked: UserEntry;
  readonly #results: ToolResultEntry[] = [];
  readonly #older = new Map<string, ToolResultEntry>();

  /** `heard` are tools that have brought untrusted content before. */
  constructor(
    { name, role }: { readonly name: string; readonly role: Role },
    nowMs: number,
    heard: readonly string[] = [],
  ) {
    this.conversation = { accountId: brandAs(platform), platform, conversationId: brandAs(name), kind: "direct" };
    this.sender = { userId: brandAs(`mcp:${name}`), role: "person", displayName: name, assurance: "platform" };
    this.#asked = {
      kind: "user",
      eventId: brandAs(name),
      sender: this.sender,
      role,
      markdown: "",
      attachments: [],
      at: instantOf(nowMs),
    };
    for (const tool of heard)
      this.#keepOlder({ callId: `before ${tool}`, name: tool, isError: false, untrusted: true });
  }

  get entries(): readonly TranscriptEntry[] {
    return [this.#asked, ...this.#older.values(), ...this.#results];
  }

  /** A tool that once gave a stranger's words taints for good: nobody knows what the caller still reads. */
  add(result: ToolResultEntry): void {
    this.#results.push(result);
    const [oldest] = this.#results;
    if (this.#results.length <= mostResults || oldest === undefined) return;
    this.#results.shift();
    this.#keepOlder(oldest);
  }

  #keepOlder({ callId, name, isError, untrusted }: Omit<ToolResultEntry, "kind" | "content">): void {
    const left = { kind: "tool.result", callId, name, content: "", isError } as const;
    this.#older.set(`${name} ${untrusted === true}`, untrusted === true ? { ...left, untrusted } : left);
  }
}
