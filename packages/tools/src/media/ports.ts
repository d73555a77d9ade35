import type { CountedUsage } from "@talaria/agent";

/** Bytes of one kind: a picture, a recording. */
export interface MadeFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** What it took to make it. */
  readonly usage?: CountedUsage;
}

export const imageShapes = ["square", "landscape", "portrait"] as const;

export interface ImageRequest {
  readonly prompt: string;
  /** Default: the model's own. */
  readonly shape?: (typeof imageShapes)[number] | undefined;
}

/**
 * Models that make and hear media; `packages/models` connects them. Each throws `unavailable`, `rate_limited`, `invalid_request` or
 * `aborted`, without a secret in the message. What is absent is not offered.
 */
export interface MediaPowers {
  readonly makeImage?: (request: ImageRequest, signal: AbortSignal) => Promise<MadeFile>;
  readonly speak?: (
    speech: { readonly text: string; readonly voice?: string },
    signal: AbortSignal,
  ) => Promise<MadeFile>;
  readonly transcribe?: (recording: MadeFile, signal: AbortSignal) => Promise<string>;
}
