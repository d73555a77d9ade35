import { fieldOf, type MimeNode } from "./mime-tree.ts";

/** A BODYSTRUCTURE answer, RFC 3501 section 7.4.2, with the extension fields that servers add. */
export function bodyStructure(node: MimeNode): string {
  const extension = `${dispositionOf(node)} NIL NIL`;
  if (node.type === "multipart") {
    const children =
      node.parts.length === 0 ? '("text" "plain" NIL NIL NIL "7bit" 0 0)' : node.parts.map(bodyStructure).join("");
    return `(${children} ${quoted(node.subtype)} ${pairs(node.parameters)} ${extension})`;
  }
  const size = node.body.length;
  const lines = node.body.split("\r\n").length - 1;
  const basic = `${quoted(node.type)} ${quoted(node.subtype)} ${pairs(node.parameters)} ${node.id === undefined ? "NIL" : quoted(node.id)} NIL ${quoted(node.encoding)} ${size}`;
  if (node.embedded !== undefined)
    return `(${basic} ${envelopeOf(node.embedded.header)} ${bodyStructure(node.embedded)} ${lines} NIL ${extension})`;
  return node.type === "text" ? `(${basic} ${lines} NIL ${extension})` : `(${basic} NIL ${extension})`;
}

/** The envelope of RFC 3501, section 7.4.2, with addresses as Dovecot takes simple ones apart. */
function envelopeOf(header: string): string {
  const text = (name: string) => {
    const value = fieldOf(header, name);
    return value === "" ? "NIL" : quoted(value);
  };
  const people = (name: string) => {
    const all = fieldOf(header, name)
      .split(",")
      .flatMap((field) => {
        const [, phrase = "", local = "", host = ""] = /^\s*(.*?)\s*<?([^\s<>@]+)@([^\s<>@]+?)>?\s*$/.exec(field) ?? [];
        return host === "" ? [] : [`(${phrase === "" ? "NIL" : quoted(phrase)} NIL ${quoted(local)} ${quoted(host)})`];
      });
    return all.length === 0 ? "NIL" : `(${all.join("")})`;
  };
  const from = people("from");
  return `(${text("date")} ${text("subject")} ${from} ${from} ${from} ${people("to")} ${people("cc")} NIL ${text("in-reply-to")} ${text("message-id")})`;
}

function dispositionOf({ disposition }: MimeNode): string {
  return disposition === undefined ? "NIL" : `(${quoted(disposition[0])} ${pairs(disposition[1])})`;
}

function pairs(list: MimeNode["parameters"]): string {
  return list.length === 0 ? "NIL" : `(${list.map(([name, value]) => `${quoted(name)} ${quoted(value)}`).join(" ")})`;
}

/** What a quoted string cannot hold goes as a literal. */
function quoted(text: string): string {
  if (/[\r\n\u0080-\uffff]/.test(text) || text.length > 900) return `{${text.length}}\r\n${text}`;
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
