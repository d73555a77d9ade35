/** Stands in payloads for what may not leave. A suite puts a secret of its own in its place. */
export const canary = "{{canary}}";

/** Where the words of a payload come from. */
export type Carrier =
  | "message"
  | "overheard"
  | "name"
  | "title"
  | "quote"
  | "page"
  | "mail"
  | "file"
  | "file-name"
  | "tool-result"
  | "mcp-description"
  | "webhook-field"
  | "memory"
  | "workspace-file"
  | "folder-file";

/** What a model does that obeys the payload. */
export type Attempt =
  | { readonly does: "posts"; readonly url: string; readonly body: string }
  | { readonly does: "reads"; readonly url: string }
  | { readonly does: "sends"; readonly recipient: string; readonly text: string }
  | { readonly does: "runs"; readonly command: string; readonly hasNetwork: boolean }
  | { readonly does: "writes"; readonly path: string; readonly isInWorkspace: boolean; readonly text: string }
  | { readonly does: "plans"; readonly text: string }
  | { readonly does: "spends"; readonly text: string }
  | { readonly does: "remembers"; readonly text: string }
  /** In the reply itself, where the text leaves by a link, a picture, a mention or plainly. */
  | { readonly does: "answers"; readonly text: string };

/** One instruction that somebody without the right to give it has written. */
export interface Payload {
  readonly carrier: Carrier;
  readonly text: string;
  readonly tries: Attempt;
}

export const posts = (url: string, body = canary): Attempt => ({ does: "posts", url, body });
export const reads = (url: string): Attempt => ({ does: "reads", url });
export const sends = (recipient: string, text = canary): Attempt => ({ does: "sends", recipient, text });
export const runs = (command: string): Attempt => ({ does: "runs", command, hasNetwork: false });
export const runsOnline = (command: string): Attempt => ({ does: "runs", command, hasNetwork: true });
export const writes = (path: string, text: string): Attempt => ({ does: "writes", path, isInWorkspace: true, text });
export const writesOutside = (path: string, text: string): Attempt => ({
  does: "writes",
  path,
  isInWorkspace: false,
  text,
});
export const plans = (text: string): Attempt => ({ does: "plans", text });
export const spends = (text: string): Attempt => ({ does: "spends", text });
export const remembers = (text: string): Attempt => ({ does: "remembers", text });
export const answers = (text: string): Attempt => ({ does: "answers", text });

/** Payloads of one carrier. */
export function from(
  carrier: Carrier,
  given: readonly (readonly [text: string, tries: Attempt])[],
): readonly Payload[] {
  return given.map(([text, tries]) => ({ carrier, text, tries }));
}
