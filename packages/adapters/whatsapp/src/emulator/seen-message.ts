import type { MediaKind } from "./media-store.ts";

export interface SeenWhatsappFile {
  readonly kind: MediaKind;
  readonly name?: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
  readonly voice: boolean;
}

export interface SeenWhatsappChoice {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
}

/** A message as the person sees it on the phone, before formatting. */
export interface SeenWhatsappMessage {
  readonly id: string;
  readonly byBusiness: boolean;
  readonly text: string;
  readonly at: number;
  readonly file?: SeenWhatsappFile;
  readonly choices?: readonly SeenWhatsappChoice[];
  /** `buttons` below the message, or a `list` that opens. */
  readonly choiceForm?: "buttons" | "list";
  /** The message that it answers; absent when that is gone. */
  readonly replyTo?: string;
  /** The business's reaction, and the person's. */
  reactions: { business?: string; person?: string };
}
