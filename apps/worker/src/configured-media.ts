import type { TalariaConfig } from "@talaria/config";
import { createTranscriber } from "@talaria/models";
import type { Clock, Log } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { createMediaReader, type MediaReader } from "./media-reader.ts";

export interface MediaPeers {
  readonly config: Pick<TalariaConfig, "transcription">;
  readonly store: Pick<Store, "media">;
  readonly clock: Clock;
  readonly log: Log;
}

/** As the configuration has it: voice notes are transcribed where something can. */
export function configuredMedia({ config, store, clock, log }: MediaPeers, ending: AbortSignal): MediaReader {
  const { transcription } = config;
  if (transcription === undefined) return createMediaReader({ media: store.media, ending, log });
  const { maxBytes, timeoutMs } = transcription;
  const transcribe = createTranscriber(transcription, { clock, log });
  return createMediaReader({ media: store.media, transcription: { transcribe, maxBytes, timeoutMs }, ending, log });
}
