import type { Adapter, ConversationCapabilities } from "@talaria/adapter";
import type { Conversation } from "@talaria/protocol";

/** Capabilities that may differ from conversation to conversation. */
export function capabilitiesFor(adapter: Adapter, conversation: Conversation): ConversationCapabilities {
  return adapter.capabilitiesFor?.(conversation) ?? adapter.capabilities;
}

/** What the steps of a message depend on. */
export interface PlaceFacts {
  /** A message that is sent twice with the same key appears once. */
  readonly recognises: boolean;
  /** The platform can be asked whether a message has arrived. */
  readonly finds: boolean;
  /** A message can be deleted. */
  readonly removes: boolean;
  /** People can be shown that a question is decided: its message can be changed, or is drawn again. */
  readonly closes: boolean;
  /** The text of a message can be changed. */
  readonly edits: boolean;
  readonly isGroup: boolean;
  /** Buttons are chosen by their places in a list. */
  readonly choicesByPlace: boolean;
  /** A message can be shown to one person alone. */
  readonly whispers: boolean;
  /** How a reply is shown while it grows. Absent: only when it is complete. */
  readonly shows?: {
    readonly as: "view" | "message";
    readonly minIntervalMs: number;
    /** What is done shows as a line below the text, which the next update takes away. */
    readonly activity?: boolean;
  };
}

/** The facts about a place that nobody has looked at yet. */
export const nothingKnown: PlaceFacts = {
  ...{ recognises: false, finds: false, removes: false },
  ...{ closes: false, edits: false, isGroup: false, choicesByPlace: false, whispers: false },
};

export function factsOf(adapter: Adapter, conversation: Conversation): PlaceFacts {
  const { view, edit, typing } = capabilitiesFor(adapter, conversation);
  const activity = typing?.words === undefined && view?.appends === undefined;
  const facts: PlaceFacts = {
    recognises: adapter.capabilities.idempotentSend,
    finds: adapter.findSent !== undefined,
    removes: adapter.delete !== undefined,
    closes: edit !== undefined || adapter.closed !== undefined,
    edits: edit !== undefined && adapter.edit !== undefined,
    isGroup: conversation.kind !== "direct",
    choicesByPlace: adapter.capabilities.choices?.byPlace ?? false,
    whispers: adapter.capabilities.privateTo !== undefined,
  };
  if (view !== undefined) return { ...facts, shows: { as: "view", minIntervalMs: view.minIntervalMs, activity } };
  return edit === undefined ? facts : { ...facts, shows: { as: "message", ...edit, activity } };
}
