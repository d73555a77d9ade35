export interface UploadedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

export interface MultipartForm {
  readonly fields: Map<string, string>;
  readonly files: Map<string, UploadedFile>;
}

const maxParts = 100;
const maxPartHeadBytes = 8_192;

/**
 * Reads a whole `multipart/form-data` body. A part with a file name is a file, any other is a UTF-8 field.
 * File names may be quoted or bare. Throws an Error if the body does not follow the format,
 * has more than 100 parts, or has a part head above 8 KiB.
 */
export function parseMultipart(body: Buffer, contentType: string): MultipartForm {
  const boundary = boundaryOf(contentType);
  const form: MultipartForm = { fields: new Map(), files: new Map() };
  const separator = Buffer.from(`\r\n--${boundary}`);
  let position = startOfFirstPart(body, boundary);
  for (let parts = 0; !isClosing(body, position); parts++) {
    if (parts >= maxParts) throw new Error("too many parts");
    const headStart = position + 2;
    const headEnd = body.indexOf("\r\n\r\n", headStart);
    if (headEnd < 0 || headEnd - headStart > maxPartHeadBytes) throw new Error("part without a head");
    const contentEnd = body.indexOf(separator, headEnd + 2);
    if (contentEnd < 0) throw new Error("part without an end");
    addPart(form, body.toString("utf8", headStart, headEnd), body.subarray(headEnd + 4, contentEnd));
    position = contentEnd + separator.length;
  }
  return form;
}

function boundaryOf(contentType: string): string {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType);
  const value = boundary?.[1] ?? boundary?.[2];
  if (value === undefined) throw new Error("multipart without a boundary");
  return value;
}

/** The position just behind the first boundary. */
function startOfFirstPart(body: Buffer, boundary: string): number {
  const opening = Buffer.from(`--${boundary}`);
  const start = body.indexOf(opening);
  if (start < 0) throw new Error("boundary not found");
  return start + opening.length;
}

function isClosing(body: Buffer, position: number): boolean {
  return body.toString("latin1", position, position + 2) === "--";
}

function addPart(form: MultipartForm, head: string, content: Buffer): void {
  const name = parameterOf(head, "name");
  if (name === undefined) throw new Error("part without a name");
  const fileName = parameterOf(head, "filename");
  if (fileName === undefined) {
    form.fields.set(name, content.toString("utf8"));
    return;
  }
  const mimeType = /^content-type:\s*([^\r\n;]+)/im.exec(head)?.[1]?.trim() ?? "application/octet-stream";
  form.files.set(name, { name: fileName, mimeType, bytes: content });
}

function parameterOf(head: string, parameter: string): string | undefined {
  const match = new RegExp(`[;\\s]${parameter}=(?:"([^"]*)"|([^;\\r\\n]*))`, "i").exec(head);
  return match?.[1] ?? match?.[2]?.trim();
}
