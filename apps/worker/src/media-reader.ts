import type { MediaAccess } from "@talaria/agent";
import type { Transcribe } from "@talaria/models";
import {
  type Attachment,
  broughtFiles,
  GatewayError,
  isGatewayError,
  type Log,
  type MediaRef,
  type SessionEvent,
} from "@talaria/protocol";
import type { FetchedAttachment, MediaLimits, MediaStore } from "@talaria/store";

import { createOpener, type OpenerDeps } from "./open-attachment.ts";

/** How many voice notes of one turn are transcribed at the same time. */
const transcribedAtOnce = 3;

export interface MediaReaderDeps {
  readonly media: MediaStore;
  /** Without it, voice notes remain files. */
  readonly transcription?: { readonly transcribe: Transcribe; readonly maxBytes: number; readonly timeoutMs: number };
  /** Aborted when the process must end now. */
  readonly ending: AbortSignal;
  readonly log: Log;
}

export interface MediaReader {
  /** Returns the state of everything that came with these events, with voice notes transcribed. */
  filesOf(events: readonly SessionEvent[]): Promise<readonly FetchedAttachment[]>;
}

/**
 * Reads what the gateway has fetched. A transcript is stored with its attachment, so it is made only once. A failure is
 * noted on the attachment and never loses the message. Throws `unavailable` when the process is ending.
 */
export function createMediaReader(deps: MediaReaderDeps): MediaReader {
  return {
    async filesOf(events) {
      const withFiles = events.filter((event) => attachmentsOf(event).length > 0);
      const [first] = withFiles;
      if (first === undefined) return [];
      const ids = withFiles.map(({ id }) => id);
      const files = await deps.media.ofEvents(first.conversation.accountId, ids);
      const spoken = new Set(withFiles.flatMap(attachmentsOf).flatMap(({ voice, ref }) => (voice ? [ref] : [])));
      return await transcribed(files, spoken, deps);
    },
  };
}

/** Reads one whole file. */
export async function readWhole(media: MediaStore, ref: MediaRef, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await media.open(ref, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Files as tools see them. `opener`: without it, what was not fetched can't be. */
export function toolMedia(media: MediaStore, limits: MediaLimits, opener?: OpenerDeps): MediaAccess {
  return {
    mostBytes: limits.maxBytes,
    read: (ref, range) => media.read(ref, range),
    put: (content, mimeType, signal) =>
      media.put(content instanceof Uint8Array ? onePiece(content) : content, mimeType, limits, signal),
    ...(opener === undefined ? {} : { open: createOpener(media, opener) }),
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function attachmentsOf(event: SessionEvent): readonly Attachment[] {
  return "message" in event ? broughtFiles(event.message) : [];
}

async function transcribed(
  files: readonly FetchedAttachment[],
  spoken: ReadonlySet<MediaRef>,
  deps: MediaReaderDeps,
): Promise<readonly FetchedAttachment[]> {
  const results = [...files];
  const waiting = files.keys().filter((index) => {
    const file = files[index];
    return file !== undefined && spoken.has(file.platformRef) && isUnheard(file);
  });
  const work = async () => {
    for (const index of waiting) {
      const file = files[index];
      if (file !== undefined) results[index] = await transcribeOne(file, deps);
    }
  };
  await Promise.all(Array.from({ length: transcribedAtOnce }, work));
  return results;
}

function isUnheard({ fetched }: FetchedAttachment): boolean {
  return (
    fetched.state === "stored" && fetched.transcript === undefined && /^(audio|video)\//.test(fetched.media.mimeType)
  );
}

async function transcribeOne(file: FetchedAttachment, deps: MediaReaderDeps): Promise<FetchedAttachment> {
  const { media, transcription, ending, log } = deps;
  const { fetched, accountId, eventId } = file;
  if (fetched.state !== "stored") return file;
  const failed = (problem: string): FetchedAttachment => ({ ...file, fetched: { ...fetched, problem } });
  if (transcription === undefined) return failed("voice notes are not transcribed here");
  if (fetched.media.byteLength > transcription.maxBytes) return failed("it is too long to be transcribed");
  try {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(transcription.timeoutMs)]);
    const bytes = await readWhole(media, fetched.media.ref, signal);
    const { mimeType } = fetched.media;
    const transcript = await transcription.transcribe({ bytes, mimeType }, signal);
    if (transcript === "") return failed("no words could be heard in it");
    await media.saveTranscript(file, transcript);
    return { ...file, fetched: { ...fetched, transcript } };
  } catch (error) {
    if (ending.aborted)
      throw new GatewayError("the process ends", { code: "unavailable", effect: "none", cause: error });
    const code = isGatewayError(error) ? error.code : "internal";
    log.warn({ accountId, eventId, code, error }, "a voice note was not transcribed");
    return failed("it could not be transcribed");
  }
}
