import type { ContextReport } from "./context/context-report.ts";
import type { TranscriptEntry } from "./journal.ts";
import type { TurnFailureCode } from "./notices.ts";
import type { ReplyParts } from "./reply-parts.ts";

export type TurnEvent =
  | { readonly type: "text.delta"; readonly text: string }
  /** What was shown is void; the deltas that follow give the reply from its start. */
  | { readonly type: "text.restart" }
  | { readonly type: "status"; readonly label: string }
  /** The reader writes these, all or none, before it asks for the next event: intent before effect, result after. */
  | { readonly type: "journal"; readonly entries: readonly TranscriptEntry[] };

/**
 * How a turn ended, or that it waits. `final`: entries not yet journaled, to be committed together with the turn. `partial`: what the
 * model had said until then, of a failed turn only its whole answers.
 */
export type TurnOutcome =
  | {
      readonly status: "completed";
      readonly markdown: string;
      /** What goes out with the text. */
      readonly parts: ReplyParts;
      readonly final: readonly TranscriptEntry[];
      readonly context?: ContextReport;
    }
  | {
      readonly status: "failed";
      /** The one text people read, in English. */
      readonly notice: string;
      /** What the model has said when it reached a limit: the notice begins with it. */
      readonly answer?: string;
      readonly code: TurnFailureCode;
      readonly partial: string;
      readonly final: readonly TranscriptEntry[];
      readonly context?: ContextReport;
    }
  /** Every call without a result waits, and nobody has said anything meanwhile. The turn goes on when one is settled. */
  | { readonly status: "suspended"; readonly final: readonly [] }
  | {
      readonly status: "aborted";
      readonly partial: string;
      readonly final: readonly TranscriptEntry[];
      readonly context?: ContextReport;
    };
