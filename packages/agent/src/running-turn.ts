import type { Log } from "@talaria/protocol";
import type { TurnWindow } from "./context/turn-window.ts";
import type { TranscriptEntry } from "./journal.ts";
import type { ModelPort, ModelRequest } from "./model.ts";
import type { Shown } from "./reply-text.ts";
import type { BatchSettings } from "./tool-batch.ts";
import type { TurnJournal } from "./turn-journal.ts";
import { type WorkWords, workWordsFor } from "./work-words.ts";

export interface RunningTurn {
  readonly journal: TurnJournal;
  /** Ends what runs: somebody has ended the turn, or its time is over. */
  readonly signal: AbortSignal;
  /** Ends the turn, its last answer too. */
  readonly ending: AbortSignal;
  readonly log: Log;
  readonly model: ModelPort;
  readonly window: TurnWindow;
  /** Makes the request for the next answer from everything said and done so far. */
  request(): ModelRequest;
  /** The conversation was: the prompt may be renewed. */
  shortened(): Promise<void>;
  readonly batch: BatchSettings;
  /** What people see of the reply before the next answer. */
  shown(): Shown;
  steering(unwritten: readonly TranscriptEntry[]): Promise<readonly TranscriptEntry[]>;
  readonly maxSteps: number;
  readonly maxOutputChars: number;
  /** Somebody waits behind this turn. */
  readonly isHurried: boolean;
}

/** What people read while it works. */
export function workWordsOf({ journal, batch }: Pick<RunningTurn, "journal" | "batch">): WorkWords {
  return workWordsFor({ conversation: batch.context.conversation, requesters: journal.requesters });
}
