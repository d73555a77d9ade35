/** A mail as a person's program writes it. */
export interface MailFacts {
  /** The whole field: `Ada <ada@mail.test>`. */
  readonly from: string;
  readonly to: string;
  readonly cc?: string;
  readonly subject?: string;
  /** With angle brackets. */
  readonly messageId?: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly date?: Date;
  readonly text?: string;
  readonly html?: string;
  readonly files?: readonly { readonly name: string; readonly type?: string; readonly bytes: Uint8Array }[];
  /** Above everything else, as the receiving server adds them. */
  readonly top?: readonly string[];
  /** Among the sender's own. */
  readonly headers?: readonly string[];
}

/** The mail with CRLF, latin1: one character is one byte. */
export function writeMail(facts: MailFacts): string {
  const { from, to, cc, subject, messageId, inReplyTo, references, date, top = [], headers = [] } = facts;
  const fields = [
    ...top,
    `From: ${utf8(from)}`,
    `To: ${utf8(to)}`,
    ...(cc === undefined ? [] : [`Cc: ${utf8(cc)}`]),
    ...(subject === undefined ? [] : [`Subject: ${word(subject)}`]),
    ...(messageId === undefined ? [] : [`Message-ID: ${messageId}`]),
    ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${inReplyTo}`]),
    ...(references === undefined ? [] : [`References: ${references.join("\r\n ")}`]),
    ...(date === undefined ? [] : [`Date: ${date.toUTCString().replace("GMT", "+0000")}`]),
    "MIME-Version: 1.0",
    ...headers.map(utf8),
  ];
  return `${fields.join("\r\n")}\r\n${bodyOf(facts)}`;
}

function bodyOf({ text, html, files = [] }: MailFacts): string {
  const texts = [
    ...(text === undefined ? [] : [textPart("plain", text)]),
    ...(html === undefined ? [] : [textPart("html", html)]),
  ];
  const body =
    texts.length === 1
      ? (texts[0] ?? "")
      : multipart("alternative", texts.length === 0 ? [textPart("plain", "")] : texts);
  if (files.length === 0) return body;
  return multipart("mixed", [
    body,
    ...files.map(
      ({ name, type = "application/octet-stream", bytes }) =>
        `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name.replace(/[\\"]/g, "\\$&")}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines(Buffer.from(bytes).toString("base64"))}`,
    ),
  ]);
}

function textPart(subtype: string, text: string): string {
  const encoded = lines(Buffer.from(text.replace(/\r?\n/g, "\r\n"), "utf8").toString("base64"));
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}`;
}

function multipart(subtype: string, parts: readonly string[]): string {
  const boundary = `=_${subtype}_${parts.length}`;
  const inner = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("");
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${inner}--${boundary}--\r\n`;
}

function lines(text: string): string {
  return (text.match(/.{1,76}/g) ?? []).join("\r\n");
}

function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function word(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
