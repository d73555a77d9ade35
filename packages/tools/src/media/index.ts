import type { Tool } from "@talaria/agent";
import { createGenerateImage } from "./generate-image.ts";
import type { MediaPowers } from "./ports.ts";
import { createSpeak } from "./speak.ts";
import { createTranscribe } from "./transcribe.ts";

/** Pictures and sound, as far as there are models for them. */
export function createMediaTools({ makeImage, speak, transcribe }: MediaPowers): readonly Tool[] {
  return [
    ...(makeImage === undefined ? [] : [createGenerateImage(makeImage)]),
    ...(speak === undefined ? [] : [createSpeak(speak)]),
    ...(transcribe === undefined ? [] : [createTranscribe(transcribe)]),
  ];
}
