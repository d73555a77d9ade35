import type { MessageStructureObject } from "imapflow";
import { attachedHead } from "./attached-head.ts";
import { numbered } from "./part-numbers.ts";

/** One text of a mail, in the versions it came in; each is a part number. */
export interface BodyPart {
  readonly plain?: string;
  readonly html?: string;
}

export interface FilePart {
  readonly part: string;
  readonly mimeType: string;
  /** As the sender wrote it. */
  readonly name: string;
  /** Opened as the plain text of this version of the mail's words, without what is hidden. */
  readonly version?: "plain" | "html" | "tnef-body";
  /** Which of the files within a `winmail.dat` it is. */
  readonly within?: number;
}

/** A mail within a mail. Its files are among those of the whole. */
export interface AttachedMail {
  /** Its own head, as lines of text. */
  readonly head: string;
  readonly bodies: readonly BodyPart[];
}

export interface MailPlan {
  readonly bodies: readonly BodyPart[];
  /** In their order, those within others after these. */
  readonly attached: readonly AttachedMail[];
  readonly files: readonly FilePart[];
  /** The invitations among the files, which are read besides; part numbers. */
  readonly calendars: readonly string[];
  /** Mails of Microsoft's programs in one file (`winmail.dat`) among the files; part numbers. */
  readonly tnef: readonly string[];
  /** Of a delivery report: the machine's part, and the mail it is about. */
  readonly report?: { readonly status: string; readonly about: string | undefined };
}

export interface StructureLimits {
  readonly parts: number;
  readonly depth: number;
}

export type Refusal = "too_many_parts" | "too_deep";

/** Further invitations are only files. */
const maxCalendars = 3;
/** Further ones are only files. */
const maxTnef = 2;
/** Further mails within a mail are only files. */
const maxAttached = 10;
/** A mail rarely has more texts than one; further ones are read as files. */
const maxBodies = 5;

/** What to read of a mail, told from its structure alone. Nothing of it has been fetched yet. */
export function planOf(structure: MessageStructureObject, limits: StructureLimits): MailPlan | Refusal {
  const refusal = refusalOf(structure, limits);
  if (refusal !== undefined) return refusal;
  const root = numbered(structure);
  const found: Found = { bodies: [], files: [], attached: [] };
  collect(root, found);
  const { files } = found;
  const calendars = files.filter(({ mimeType }) => mimeType === "text/calendar").map(({ part }) => part);
  const tnef = files.filter(isTnef).map(({ part }) => part);
  const report = root.type === "multipart/report" ? reportOf(root) : undefined;
  return {
    ...found,
    calendars: calendars.slice(0, maxCalendars),
    tnef: tnef.slice(0, maxTnef),
    ...(report === undefined ? {} : { report }),
  };
}

interface Found {
  readonly bodies: BodyPart[];
  readonly files: FilePart[];
  readonly attached: AttachedMail[];
}

function refusalOf(root: MessageStructureObject, { parts, depth }: StructureLimits): Refusal | undefined {
  let level = [root];
  for (let deep = 0, count = 0; level.length > 0; deep += 1) {
    count += level.length;
    if (count > parts) return "too_many_parts";
    if (deep > depth) return "too_deep";
    level = level.flatMap(({ childNodes = [] }) => childNodes);
  }
  return undefined;
}

function collect(node: MessageStructureObject, found: Found): void {
  const { bodies, files } = found;
  const children = node.childNodes ?? [];
  if (node.type === "multipart/alternative") {
    collectAlternative(node, found);
  } else if (isMail(node) && found.attached.length < maxAttached) {
    collectMail(node, found);
  } else if (node.type.startsWith("multipart/")) {
    for (const child of children) collect(child, found);
  } else if (isText(node) && bodies.length < maxBodies) {
    bodies.push(node.type === "text/html" ? { html: partOf(node) } : { plain: partOf(node) });
  } else files.push(fileOf(node));
}

/** The versions of one text, and the files among them. */
function collectAlternative(node: MessageStructureObject, { bodies, ...others }: Found): void {
  const inner: BodyPart[] = [];
  for (const child of node.childNodes ?? []) collect(child, { ...others, bodies: inner });
  const plain = inner.find((body) => body.plain !== undefined)?.plain;
  const html = inner.findLast((body) => body.html !== undefined)?.html;
  if (bodies.length < maxBodies && inner.length > 0)
    bodies.push({ ...(plain === undefined ? {} : { plain }), ...(html === undefined ? {} : { html }) });
}

function collectMail({ envelope = {}, childNodes = [] }: MessageStructureObject, found: Found): void {
  const bodies: BodyPart[] = [];
  found.attached.push({ head: attachedHead(envelope), bodies });
  for (const child of childNodes) collect(child, { ...found, bodies });
}

/** An encoded one, which RFC 2046 forbids (section 5.2.1), can't be taken apart by the server. */
function isMail({ type, encoding = "", childNodes = [] }: MessageStructureObject): boolean {
  return type === "message/rfc822" && childNodes.length > 0 && !/^(?:base64|quoted-printable)$/i.test(encoding);
}

function isText({ type, disposition }: MessageStructureObject): boolean {
  return (type === "text/plain" || type === "text/html") && disposition?.toLowerCase() !== "attachment";
}

/** By its type ([MS-OXTNEF] section 1.3), or by the name it always has. */
function isTnef({ mimeType, name }: FilePart): boolean {
  const isUntyped = mimeType === "application/octet-stream" && /^winmail\.dat$/i.test(name);
  return isUntyped || /^application\/(?:vnd\.)?ms-tnef$/.test(mimeType);
}

function fileOf(node: MessageStructureObject): FilePart {
  const { type, parameters = {}, dispositionParameters = {} } = node;
  const mimeType = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(type) ? type.toLowerCase() : "application/octet-stream";
  // An invitation within the text has no name (RFC 6047 section 2.4).
  const nameless = mimeType === "text/calendar" ? "invitation.ics" : "";
  return { part: partOf(node), mimeType, name: dispositionParameters.filename ?? parameters.name ?? nameless };
}

function reportOf({ childNodes = [] }: MessageStructureObject): MailPlan["report"] {
  const status = childNodes.find(({ type }) => type === "message/delivery-status");
  const about = childNodes.find(({ type }) => type === "message/rfc822" || type === "text/rfc822-headers");
  return status === undefined
    ? undefined
    : { status: partOf(status), about: about === undefined ? undefined : partOf(about) };
}

function partOf({ part }: MessageStructureObject): string {
  return part ?? "1";
}
