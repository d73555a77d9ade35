import type { TalariaConfig } from "@talaria/config";
import { createImageMaker, createSpeaker, createTranscriber } from "@talaria/models";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import type { MediaPowers } from "@talaria/tools";

/** The models that make and hear media, as far as they are configured. None of them is connected to before it is used. */
export function mediaPowers(
  { images, speech, transcription }: Pick<TalariaConfig, "images" | "speech" | "transcription">,
  deps: { readonly clock: Clock; readonly log: Log },
): MediaPowers {
  return {
    ...(images === undefined ? {} : { makeImage: createImageMaker(images, deps) }),
    ...(speech === undefined ? {} : { speak: createSpeaker(speech, deps) }),
    ...(transcription === undefined ? {} : { transcribe: boundedTranscriber(transcription, deps) }),
  };
}

/** With the limits that voice notes have. */
function boundedTranscriber(
  config: NonNullable<TalariaConfig["transcription"]>,
  deps: { readonly clock: Clock; readonly log: Log },
): NonNullable<MediaPowers["transcribe"]> {
  const transcribe = createTranscriber(config, deps);
  return async (recording, signal) => {
    const { byteLength } = recording.bytes;
    if (byteLength > config.maxBytes) {
      throw new GatewayError(`the recording has ${byteLength} bytes, more than ${config.maxBytes}`, {
        code: "too_large",
      });
    }
    return await transcribe(recording, AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs)]));
  };
}
