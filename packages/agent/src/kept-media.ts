import type { MediaRef } from "@talaria/protocol";

/** Content that is kept under its hash. */
export interface KeptMedia {
  readonly ref: MediaRef;
  /** What the bytes say. */
  readonly mimeType: string;
  readonly byteLength: number;
}
