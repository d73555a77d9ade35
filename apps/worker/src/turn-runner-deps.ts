import type { MediaAccess, ModelPort, Tool, TranscriptEntry, Workspace } from "@talaria/agent";
import type {
  AccountId,
  Clock,
  Derived,
  Log,
  MessageCapabilities,
  ProcessId,
  SessionKey,
  StreamFrame,
} from "@talaria/protocol";
import type {
  Chosen,
  FactStore,
  FileTaintStore,
  Home,
  OperationsStore,
  SearchStore,
  SkillStore,
  StoredGrant,
  TurnStore,
} from "@talaria/store";
import type { AuthoriseWith, CommandReach } from "./authorise.ts";
import type { BackgroundDesk } from "./background-desk.ts";
import type { BegunWhileMarked } from "./begun-while-marked.ts";
import type { CallQuestions } from "./call-questions.ts";
import type { AnsweringModel } from "./chosen-model.ts";
import type { Requested } from "./commit-author.ts";
import type { EntryMaker } from "./entries.ts";
import type { FirstFacts } from "./first-facts.ts";
import type { Following } from "./following.ts";
import type { LaterNewsDesk } from "./later-news.ts";
import type { RunningTurns } from "./running-turns.ts";
import type { KeptSkills } from "./skills.ts";
import type { Spending } from "./spending.ts";
import type { ToolsFor } from "./tools-for.ts";
import type { TurnMetrics } from "./turn-metrics.ts";

export interface TurnLimits {
  readonly maxSteps: number;
  readonly timeoutMs: number;
  /** What the last answer may take when that is over. Default: a minute. */
  readonly graceMs?: number;
  readonly maxOutputChars: number;
  readonly maxToolOutputChars: number;
  readonly windowTokens: number;
  readonly answerTokens: number;
  readonly toolTokens: number;
}

export interface TurnRunnerDeps {
  readonly turns: TurnStore;
  readonly running: RunningTurns;
  readonly model: ModelPort;
  /** The model's name in the configuration. */
  readonly modelName: string;
  /** The model of a conversation, in place of `model`. Without it, that answers everywhere. */
  readonly chosenModel?: (chosen?: Chosen) => AnsweringModel;
  readonly toolsFor: ToolsFor;
  /** Without it, no tool has a workspace. */
  readonly openWorkspace?: (sessionKey: SessionKey) => Promise<Workspace>;
  /** Without it, no file of a workspace counts as a stranger's. */
  readonly fileTaint?: FileTaintStore;
  /** Without it, nothing outlives a turn. */
  readonly begun?: BegunWhileMarked;
  /** Where commands run. Absent: nowhere. */
  readonly commands?: CommandReach | undefined;
  /** Without it, files of sessions stay with the worker. */
  readonly following?: Following | undefined;
  readonly workerId: ProcessId;
  /** Without it, calls tell nothing later. */
  readonly laterNews?: Pick<LaterNewsDesk, "take" | "turnEnded">;
  /** Without it, calls ask people nothing while they run. */
  readonly questions?: Pick<CallQuestions, "open" | "close"> | undefined;
  /** As whom people commit, by their ids: `sandbox.authors`. */
  readonly commitAuthors?: Requested["authors"];
  /** Without it, nobody ends what goes on in the background. */
  readonly background?: Pick<BackgroundDesk, "watched" | "noteBeside">;
  /** Without it, every call may run. */
  readonly authorise?: AuthoriseWith;
  /** Without it, nothing that is kept beyond memories is known. */
  readonly firstFacts?: FirstFacts;
  /** What untrusted content entries hold. Without it, none. */
  readonly taintIn?: (entries: readonly TranscriptEntry[], tools: ReadonlyMap<string, Tool>) => Derived["taint"];
  /** Adds to what stands for a conversation that is shortened. */
  readonly notesModel?: ModelPort;
  /** What a message of an account may hold. */
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
  /** Where owners are asked. */
  readonly homes: () => Promise<readonly Home[]>;
  /** What people have agreed to in a session, as it is now. */
  readonly grantsOf: (sessionKey: SessionKey, accountId: AccountId) => Promise<readonly StoredGrant[]>;
  readonly media?: MediaAccess;
  /** What is shortened is gone through for facts. */
  readonly passes?: boolean;
  /** Without it, nothing is kept beyond sessions. */
  readonly facts?: FactStore;
  /** Without it, no skill is written. */
  readonly skills?: { readonly store: Pick<SkillStore, "write">; readonly ownNames: KeptSkills["ownNames"] };
  /** Without it, tools reach no other conversation. */
  readonly operations?: Pick<OperationsStore, "places">;
  /** Without it, nothing that was said before is found. */
  readonly past?: Pick<SearchStore, "find">;
  readonly toEntries: EntryMaker;
  readonly spending: Spending;
  readonly limits: TurnLimits;
  /** As `TurnInput`. */
  readonly showsInstructions?: boolean;
  readonly publish: (frame: StreamFrame) => void;
  /** Tells the gateway that holds the account that its outbox has new rows. Lossy. */
  readonly deliver: (accountId: AccountId) => void;
  readonly metrics: TurnMetrics;
  readonly clock: Clock;
  readonly log: Log;
}
