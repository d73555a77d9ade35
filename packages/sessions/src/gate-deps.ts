import type { SpendingLimits } from "@talaria/policy";
import type {
  AccountId,
  AccountPolicy,
  Conversation,
  InboundEvent,
  Log,
  OutboundAttachment,
  ProcessId,
  SessionKey,
} from "@talaria/protocol";
import type {
  BackgroundStore,
  CallStore,
  FactStore,
  GroupStore,
  InboxStore,
  Lacking,
  MemoryStore,
  OperationsStore,
  OutboxStore,
  PairingStore,
  RightsStore,
  SearchStore,
  SkillStore,
} from "@talaria/store";
import type { Power } from "@talaria/words";
import type { PlatformTraits } from "./joining.ts";
import type { ModelChoices } from "./model-choices.ts";

export type Outcome = "recorded" | "duplicate" | "echo" | "ignored" | "refused" | "command";

export interface GateDeps {
  readonly agentName: string;
  readonly maxTextChars: number;
  /** Undefined for an account this gateway does not know (any more). */
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly inbox: Pick<InboxStore, "record" | "settle" | "heard" | "threadHead" | "now">;
  readonly outbox: Pick<OutboxStore, "add">;
  readonly calls: Pick<
    CallStore,
    | "find"
    | "waiting"
    | "forOwners"
    | "askedIn"
    | "listed"
    | "shownIn"
    | "choicesShownIn"
    | "isShownWhole"
    | "grants"
    | "findGrant"
    | "ownersPlaces"
    | "notedPlaces"
    | "noteOwnerPlace"
  >;
  readonly memories: MemoryStore;
  readonly facts: Pick<FactStore, "seen" | "about">;
  /** Nothing is kept beyond conversations, and nothing that was kept is known: people may still look at it, have it and delete it. */
  readonly isMemoryOff?: boolean;
  /** What was said in a conversation that ends is gone through for facts. */
  readonly hasPasses?: boolean;
  /** Stores the text of a file that goes out. Throws `too_large` where there is no room. Without it, none goes out. */
  readonly keepFile?: (text: string, mimeType: string) => Promise<Omit<OutboundAttachment, "name">>;
  readonly background: Pick<BackgroundStore, "running">;
  readonly pairing: Pick<
    PairingStore,
    | "isApproved"
    | "standingOf"
    | "isGroupAllowed"
    | "request"
    | "list"
    | "find"
    | "findByEndedCode"
    | "seen"
    | "seenAs"
    | "noteLanguage"
  >;
  readonly groups: Pick<GroupStore, "list" | "isUnasked" | "ask">;
  /** Whether an account can leave groups by itself. */
  readonly canLeave?: (accountId: AccountId) => boolean;
  readonly rights: Pick<RightsStore, "endFormerKind">;
  readonly operations: Pick<
    OperationsStore,
    | "session"
    | "answerWaits"
    | "spent"
    | "spentNamed"
    | "refusedBy"
    | "spending"
    | "usage"
    | "waitingFrom"
    | "whereabouts"
  >;
  /** Without it, nothing that was said before is found. */
  readonly past?: Pick<SearchStore, "find">;
  /** Without it, nobody asks for a skill by its name, and none is learnt. */
  readonly skills?: Pick<SkillStore, "list" | "learned">;
  readonly spending: SpendingLimits;
  /** Without it, nobody chooses a model. */
  readonly choices?: ModelChoices;
  /** What the agent acts with, for people: each with the key of the configuration. */
  readonly switchedOn?: readonly { readonly what: Power; readonly key: string }[];
  /** What of that doesn't work now, by its key, with the reason. */
  readonly lacking?: () => Promise<readonly Lacking[]>;
  /** Tell the other processes. All four are lossy and never throw. */
  readonly wake: (sessionKey: SessionKey) => void;
  /** The same in `ms`; of calls with one cause the later time counts. */
  readonly wakeIn: (sessionKey: SessionKey, cause: string, ms: number) => void;
  readonly cancel: (worker: ProcessId, sessionKey: SessionKey) => void;
  readonly deliver: (accountId: AccountId) => void;
  /** A person has named the conversation that is written in there. Lossy, and never throws. */
  readonly renamed?: (place: Conversation, title: string) => void;
  /** What is known of the platform of an account. Without it, nothing special. */
  readonly traitsOf?: (accountId: AccountId) => PlatformTraits | undefined;
  /** Whether an id has the form of a person's on the platform of an account. Without it, nobody is let in who has not asked. */
  readonly isUserId?: (accountId: AccountId, id: string) => Promise<boolean>;
  /** How long a message waits for its attachments, at most. Undefined: it brings none that have to be fetched. */
  readonly mediaDeferMs?: (event: InboundEvent) => number | undefined;
  readonly count: (outcome: Outcome, event: InboundEvent, reason?: string) => void;
  readonly log: Log;
}
