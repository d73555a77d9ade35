import { type CountedUsage, countUsage, type ModelPrice, type ModelUsage } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { createImageMaker, createSpeaker, createTranscriber } from "@talaria/models";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import type { MediaPowers } from "@talaria/tools";

/** The models that make and hear media, as far as they are configured. None of them is connected to before it is used. */
export function mediaPowers(
  { images, speech, transcription }: Pick<TalariaConfig, "images" | "speech" | "transcription">,
  deps: { readonly clock: Clock; readonly log: Log },
  unitPrice?: number,
): MediaPowers {
  return {
    ...(images === undefined
      ? {}
      : { makeImage: counted(createImageMaker(images, deps), "images", { price: images.price, unitPrice }) }),
    ...(speech === undefined ? {} : { speak: counted(createSpeaker(speech, deps), "speech") }),
    ...(transcription === undefined ? {} : { transcribe: boundedTranscriber(transcription, deps) }),
  };
}

const uncounted: ModelUsage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** With what it took. Where the server doesn't count, nobody knows what it costs. */
function counted<Asked, Made extends { readonly usage?: ModelUsage }>(
  make: (asked: Asked, signal: AbortSignal) => Promise<Made>,
  name: string,
  { price, unitPrice }: { readonly price?: ModelPrice | undefined; readonly unitPrice?: number | undefined } = {},
): (asked: Asked, signal: AbortSignal) => Promise<Made & { readonly usage: CountedUsage }> {
  return async (asked, signal) => {
    const made = await make(asked, signal);
    const known = made.usage === undefined ? undefined : price;
    return {
      ...made,
      usage: countUsage(made.usage ?? uncounted, { name, provider: "openai", price: known, unitPrice }),
    };
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
