import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./answer.ts";

/** What came to `/v1/audio/transcriptions`. */
export interface Recording {
  readonly bytes: Buffer;
  readonly name: string;
  readonly mimeType: string;
  readonly model: string;
  readonly language?: string;
}

const knownFields = new Set(["file", "model", "language", "prompt", "response_format", "temperature"]);
const knownEndings = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/;
const maxBytes = 25 * 1_024 * 1_024;

/** Answers `{ text }`. As strict as the real one about fields, formats and length. */
export async function answerTranscription(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  transcribe: (recording: Recording) => string | Promise<string>,
): Promise<void> {
  const refuse = (status: number, message: string) =>
    sendJson(response, status, { error: { message, type: "invalid_request_error", param: null, code: null } });
  const form = await formOf(request, body);
  if (form === undefined) return refuse(400, "Could not parse multipart form");
  const unknown = [...form.keys()].find((key) => !knownFields.has(key));
  if (unknown !== undefined) return refuse(400, `Unrecognized request argument supplied: ${unknown}`);
  const file = form.get("file");
  const model = form.get("model");
  if (!(file instanceof File)) return refuse(400, "you must provide a file parameter");
  if (typeof model !== "string" || model === "") return refuse(400, "you must provide a model parameter");
  if (file.size > maxBytes) return refuse(413, "Maximum content size limit (26214400) exceeded");
  if (!knownEndings.test(file.name) || file.size === 0) return refuse(400, "Invalid file format.");
  if (![null, "json"].includes(form.get("response_format") as string | null)) return refuse(400, "unknown format");
  const language = form.get("language");
  try {
    const text = await transcribe({
      bytes: Buffer.from(await file.arrayBuffer()),
      name: file.name,
      mimeType: file.type,
      model,
      ...(typeof language === "string" ? { language } : {}),
    });
    sendJson(response, 200, { text });
  } catch (error) {
    sendJson(response, 500, { error: { message: String(error), type: "server_error", param: null, code: null } });
  }
}

async function formOf(request: IncomingMessage, body: Buffer): Promise<FormData | undefined> {
  try {
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch {
    return undefined;
  }
}
