import {
  type Conversation,
  GatewayError,
  type Instant,
  type Permission,
  type Role,
  type Sender,
  type SessionKey,
  type Target,
  type ToolWords,
  type TurnId,
  type UserId,
  type WaitsFor,
} from "@talaria/protocol";
import { z } from "zod";
import type { Did } from "./context/did.ts";
import type { CountedUsage } from "./counted-usage.ts";
import type { FactAccess } from "./facts.ts";
import type { Brought, ToldLater, ToolResultEntry } from "./journal.ts";
import type { KeptMedia, NamedMedia } from "./kept-media.ts";
import type { KnownFile, MediaAccess } from "./media.ts";
import type { MessageAccess } from "./messages.ts";
import type { ToolSpec } from "./model.ts";
import type { ReplyParts } from "./reply-parts.ts";
import type { SkillAccess } from "./skill-access.ts";
import type { HeadlineWords, WorkWords } from "./work-words.ts";
import type { Workspace } from "./workspace.ts";

export interface ToolContext {
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId;
  readonly conversation: Conversation;
  /** Everyone whose words entered this turn so far. A write must be allowed for each of them. */
  readonly requesters: readonly Sender[];
  /** Everyone whose words the model can see: requesters first, then earlier speakers. */
  readonly participants: readonly Sender[];
  /** What those may do who wrote to the agent. Whoever is missing was only overheard. */
  readonly roles: ReadonlyMap<UserId, Role>;
  /** Every file that the model has been told of in this conversation, oldest first. It may name no other. */
  readonly files: readonly KnownFile[];
  readonly media: MediaAccess;
  /** The session's folder and shell. Absent where no sandbox backend works, or the tool declares none of `fs.*` and `exec`. */
  readonly workspace?: Workspace;
  /** Other conversations. Absent where the tool does not declare `send` or `conversation.read`. */
  readonly messages?: MessageAccess;
  /** What is kept beyond the session. Absent where that is switched off, or the tool does not declare `memory`. */
  readonly facts?: FactAccess;
  /** Writes skills. Absent as `facts`. */
  readonly skills?: SkillAccess;
  /** What was planned last, as `did` said, calls before this one included. Absent: nothing. */
  readonly plan?: string;
  readonly callId: string;
  /** The same for every attempt of the same call. Hand it to services that accept such a key. */
  readonly idempotencyKey: string;
  /**
   * Where the result of this call says that something is told later: what that is, once `ended` resolves. `content` is asked a
   * moment afterwards; undefined: the model knows already. Lost with the worker, which is told as such. Absent where nobody can be told.
   */
  readonly tellLater?: (news: LaterNews) => void;
  /**
   * Aborted when people need the turn, see `canBeLetGo`. The call then answers at once with what there is, and tells its end later.
   * Absent where it is waited for.
   */
  readonly letGo?: AbortSignal;
  /**
   * Makes a call as the model would, for code that the model wrote: same checks, same rights, one after the other, at most 50. A
   * refusal and a failure are results too. Only tools that declare `exec` have it, and no call that was made with it.
   */
  readonly call?: (name: string, args: unknown) => Promise<ToolResultEntry>;
  /**
   * The call's time stands still while this runs, as for a person who is asked something in the middle of it. Whoever uses it bounds
   * it. Absent where the call has no time of its own.
   */
  readonly untimed?: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Aborts when the turn is stopped or the call's time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Shows a short progress line to the people. Never throws. */
  progress(label: string): void;
}

export interface LaterNews {
  /** Never rejects. */
  readonly ended: Promise<unknown>;
  content(): string | undefined;
  /** Of a call that has gone on beside its turn: what it has brought besides `content`, which is marked where it is a stranger's. */
  brought?(): Brought | undefined;
  /** Ends what it is about, when somebody stops the turn. Absent: that goes on. */
  stop?(): Promise<void>;
}

export interface ToolResult {
  /** What the model reads. */
  readonly content: string;
  /** What the operator's log reads. Never sent to the model. */
  readonly details?: unknown;
  /** A stranger may have written the content: the model reads it in an `<untrusted>` block, and the journal says so. */
  readonly untrusted?: true;
  /** Files that were put into `media` and that the model may name from now on. Nobody is sent them. */
  readonly kept?: readonly NamedMedia[];
  /** Pictures that the model sees with the result, as those of a message. */
  readonly shows?: readonly KeptMedia[];
  /** What a model used that the tool has asked. Counts like the answers of the agent's own. */
  readonly usage?: CountedUsage;
  /** Something is told later besides, by `ToolContext.tellLater`, also when the turn is over. */
  readonly later?: ToldLater;
  /** What the call did, for the day when it is no longer shown itself. */
  readonly did?: readonly Did[];
  /** What goes out with the turn's reply. Written into the journal with the result, so it survives a crash. */
  readonly reply?: ReplyParts;
}

/** The answer comes later, as an event under this call's id. Nothing waits in memory. */
export interface WaitingAnswer {
  readonly waitsFor: Exclude<WaitsFor, "approval">;
  /** What people and the model read of it meanwhile. */
  readonly shown: string;
  readonly expiresAt: Instant;
}

export type ToolAnswer = ToolResult | WaitingAnswer;

/** What is known of a call before people are asked about it. */
export type AskingContext = "conversation" | "messages" | "requesters" | "roles";

export interface Tool<Input extends z.ZodType = z.ZodType, Answer extends ToolAnswer = ToolAnswer> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** The JSON Schema that the model is shown of `input`. Default: made from it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Reads run side by side and again after a crash. A `write` runs in order and never twice. */
  readonly effect: "read" | "write";
  /**
   * What a call touches, such as `file:notes.md`. A write waits for every earlier call that touches one of the same, and the
   * other way round; an empty list meets nothing. Undefined, or no such method: everything.
   */
  resources?(input: z.output<Input>): readonly string[] | undefined;
  /** A call that leaves nothing which another one could build on, as no read does: two such calls run side by side, whatever they touch. */
  leavesNothing?(input: z.output<Input>): boolean;
  /** Such a call can be let go while it runs: it heeds `ToolContext.letGo`. */
  canBeLetGo?(input: z.output<Input>): boolean;
  /**
   * Such a call goes on by itself when it is let go, beside the turn, and its result is told later. What it does, in a few words for
   * whoever may end it: `reading https://example.org/`. A tool with it needs no workspace.
   */
  beside?(input: z.output<Input>, words: WorkWords): string;
  /** Each of its calls builds on the one before: none begins before that has its result. */
  readonly isOrdered?: true;
  /** Each of its calls puts a question to people: only a few wait in a conversation at a time (`withinLimits`). */
  readonly asksPeople?: true;
  /** Not shown to models any more. Those that have seen it may call it still. */
  readonly isFormer?: true;
  readonly permissions: readonly Permission[];
  /** Whatever it answers, also when it fails, may be a stranger's words: each of its results is `untrusted`. */
  readonly isForeign?: true;
  /** Its calls may make others, and bring what those bring. */
  readonly makesCalls?: true;
  /**
   * Who wrote its name, description and input, where that is not us: the address of a server. The model reads a stranger's words
   * as soon as it has the tool.
   */
  readonly describedBy?: string;
  /** What a call touches, as far as its arguments tell: policy decides by it, and people who are asked see it. */
  targets?(input: z.output<Input>): readonly Target[];
  /**
   * Of somebody else's tool that changes something: the arguments by which its operator tells whom or what a call is for, as they
   * are. An agreement to later calls is for these alone. Undefined: none is named, or the call has none of them.
   */
  aim?(input: z.output<Input>): Readonly<Record<string, unknown>> | undefined;
  /**
   * Why a call can't take effect, whoever agrees to it: then nobody is asked, and the model reads this. Only looks, at what every
   * requester may see. It may throw: then people are asked. Absent: nothing is known before.
   */
  obstacle?(input: z.output<Input>, context: Pick<ToolContext, AskingContext>): Promise<string | undefined>;
  /**
   * What a call does, for whoever is asked whether it may. Words of ours and the call's own texts; what they don't say is shown besides.
   * Default: that the tool is used.
   */
  inWords?(input: z.output<Input>, words: HeadlineWords): ToolWords;
  /** What people read while a call runs: a few words, such as `running npm test`. Default: that the tool is used. */
  doing?(input: z.output<Input>, words: WorkWords): string;
  /** Default: 60,000. */
  readonly timeoutMs?: number;
  /** Where there are many tools, the model looks for it instead of reading of it in every request: see `chooseTools`. */
  readonly onDemand?: true;
  /** Seldom needed: the model reads its name in every request, and the rest when it looks for it. See `chooseTools`. */
  readonly isRare?: true;
  /** Throws to signal failure; the model reads the error's message. */
  execute(input: z.output<Input>, context: ToolContext): Promise<Answer>;
}

/**
 * Keeps the input type while a tool is written, and forgets it once the tool joins a list.
 * Throws `invalid_request` for a bad name or an input that has no JSON Schema.
 */
export function defineTool<Input extends z.ZodType, Answer extends ToolAnswer>(
  tool: Tool<Input, Answer>,
): Tool<z.ZodType, Answer> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name)) {
    throw new GatewayError(`"${tool.name}" is no name for a tool`, { code: "invalid_request" });
  }
  const erased = tool as unknown as Tool<z.ZodType, Answer>;
  specOf(erased);
  return erased;
}

/** The tools as the model sees them, sorted by name, without former ones. Throws `invalid_request` when two share a name. */
export function toolSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  const shown = tools.filter(({ isFormer }) => isFormer !== true);
  const specs = shown.map(specOf).sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const [index, spec] of specs.entries()) {
    if (specs[index + 1]?.name === spec.name) {
      throw new GatewayError(`two tools are called "${spec.name}"`, { code: "invalid_request" });
    }
  }
  return specs;
}

const specs = new WeakMap<Tool, ToolSpec>();

function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known !== undefined) return known;
  const spec = { name: tool.name, description: tool.description, parameters: tool.parameters ?? jsonSchemaOf(tool) };
  specs.set(tool, spec);
  return spec;
}

function jsonSchemaOf(tool: Tool): Readonly<Record<string, unknown>> {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(tool.input, {
      io: "input",
      override: ({ jsonSchema }) => leaveOutBounds(jsonSchema),
    });
    return schema;
  } catch (cause) {
    throw new GatewayError(`the input of tool "${tool.name}" has no JSON Schema`, { code: "invalid_request", cause });
  }
}

/** What a call seldom offends against costs tokens in every request. Whoever does reads it in the error. */
const rarelyMet = ["minLength", "maxLength", "minItems", "maxItems", "pattern"] as const;

function leaveOutBounds(schema: z.core.JSONSchema.BaseSchema): void {
  for (const bound of rarelyMet) delete schema[bound];
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.default === false || isEmptyList(schema.default)) delete schema.default;
  if (schema.minimum === Number.MIN_SAFE_INTEGER || schema.minimum === 0 || schema.minimum === 1) delete schema.minimum;
  if (schema.default === schema.maximum) delete schema.default;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
