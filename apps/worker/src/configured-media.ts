import { createTranscriber } from "@talaria/models";
import { createMediaReader, type MediaReader } from "./media-reader.ts";
import type { WorkerOptions } from "./worker.ts";

/** As the configuration has it: voice notes are transcribed where something can. */
export function configuredMedia(
  { config, store, clock, log }: Pick<WorkerOptions, "config" | "store" | "clock" | "log">,
  ending: AbortSignal,
): MediaReader {
  const { transcription } = config;
  if (transcription === undefined) return createMediaReader({ media: store.media, ending, log });
  const { maxBytes, timeoutMs } = transcription;
  const transcribe = createTranscriber(transcription, { clock, log });
  return createMediaReader({ media: store.media, transcription: { transcribe, maxBytes, timeoutMs }, ending, log });
}
