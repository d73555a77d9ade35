import type { ModelFailure } from "@talaria/agent";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import type { OpenAI } from "openai";
import { connect } from "./connect.ts";
import { toModelFailure } from "./dialect/model-failure.ts";
import { reveal, type SecretText } from "./model-config.ts";

const maxAttempts = 2;
const pauseMs = 1_000;
const longestPauseMs = 10_000;
/** A longer text is cut. */
const maxChars = 20_000;
const worthAnother: ReadonlySet<string> = new Set(["network", "overloaded", "server_error", "rate_limit"]);

export interface TranscriptionConfig {
  /** Without it, OpenAI's own. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: SecretText | undefined;
  readonly model: string;
  readonly language?: string | undefined;
  readonly timeoutMs: number;
}

export interface Recording {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** Writes down what is said in a recording. Throws `unavailable`, `invalid_request` or `aborted`. */
export type Transcribe = (recording: Recording, signal: AbortSignal) => Promise<string>;

/** Any server that speaks `POST /audio/transcriptions`. Tries twice. */
export function createTranscriber(
  config: TranscriptionConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Transcribe {
  let client: Promise<OpenAI> | undefined;
  const secrets = [config.apiKey ?? ""].map(reveal);
  const attempt = async (recording: Recording, signal: AbortSignal): Promise<string | ModelFailure> => {
    client ??= connect(config);
    try {
      return await ask(await client, config, recording, signal);
    } catch (error) {
      if (signal.aborted) throw new GatewayError("the transcription was stopped", { code: "aborted", cause: error });
      return toModelFailure(error, { visible: false, secrets, now: clock.now() });
    }
  };
  return async (recording, signal) => {
    for (let number = 1; ; number += 1) {
      const result = await attempt(recording, signal);
      if (typeof result === "string") return result;
      const { kind, message, retryAfterMs = pauseMs } = result;
      const mayHelp = worthAnother.has(kind);
      if (!mayHelp || number === maxAttempts) {
        const code = mayHelp ? "unavailable" : "invalid_request";
        throw new GatewayError(`no transcription: ${message}`, { code, effect: "none" });
      }
      log.warn({ attempt: number, code: kind, reason: message }, "a transcription is tried again");
      await clock.sleep(Math.min(longestPauseMs, retryAfterMs), signal);
    }
  };
}

async function ask(
  client: OpenAI,
  { model, language }: TranscriptionConfig,
  { bytes, mimeType }: Recording,
  signal: AbortSignal,
): Promise<string> {
  const { toFile } = await import("openai");
  const file = await toFile(bytes, `voice.${endingOf(mimeType)}`, { type: mimeType });
  const { text } = await client.audio.transcriptions.create(
    { file, model, response_format: "json", ...(language === undefined ? {} : { language }) },
    { signal },
  );
  return text.trim().slice(0, maxChars);
}

/** Servers tell the format by the name's ending. */
function endingOf(mimeType: string): string {
  const known: Readonly<Record<string, string>> = {
    "audio/ogg": "ogg",
    "audio/opus": "ogg",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/x-m4a": "m4a",
    "audio/aac": "m4a",
    "audio/wav": "wav",
    "audio/webm": "webm",
    "audio/flac": "flac",
    "video/mp4": "mp4",
    "video/webm": "webm",
  };
  return known[mimeType] ?? "ogg";
}
