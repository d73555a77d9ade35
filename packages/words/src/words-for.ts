import type { Conversation } from "@talaria/protocol";
import { english } from "./english/index.ts";
import { wordsIn } from "./languages.ts";
import type { Words } from "./words.ts";

/** Who reads a text, and where. */
export interface Reader {
  readonly conversation: Pick<Conversation, "kind">;
  /** `language`: BCP 47. */
  readonly sender?: { readonly language?: string | undefined } | undefined;
}

/** The words of whoever reads them alone. In a group others read them, too, whose languages need not be one: English. */
export function wordsFor({ conversation, sender }: Reader): Words {
  return conversation.kind === "direct" ? wordsIn(sender?.language) : english;
}

/** The same for somebody's own place, with their language as it is stored. */
export function wordsAt({
  conversation,
  language,
}: Pick<Reader, "conversation"> & { readonly language?: string | undefined }): Words {
  return wordsFor({ conversation, sender: { language } });
}
