export const permissions = [
  "conversation.read",
  "clock",
  "fs.read",
  "fs.write",
  "net",
  "exec",
  "send",
  "memory",
  "schedule",
  "spend",
  "secret",
] as const;

/** What a tool touches. A tool declares all of it; policy decides by it. */
export type Permission = (typeof permissions)[number];

/** One thing that a call touches, read from its arguments by its tool. Policy trusts it, so no field may come from the model unchecked. */
export type Target =
  /** For `fs.read` and `fs.write`. `isInWorkspace`: after links were followed. */
  | { readonly kind: "path"; readonly path: string; readonly isInWorkspace: boolean }
  /**
   * For `exec`: text for a shell, or a program with its arguments. `hasNetwork`: it reaches what it names nowhere. `hosts`: what it reaches
   * by name, each of which is a `url` besides.
   */
  | {
      readonly kind: "command";
      readonly command: string | readonly string[];
      readonly isSandboxed: boolean;
      readonly hasNetwork: boolean;
      readonly hosts?: readonly string[];
    }
  /**
   * For `net`. `sendsBody`: any method but GET and HEAD, or a body. `isKnown`: this exact address was configured by the operator or
   * stands in a text that the session has read, so asking for it tells its server nothing that the model chose to add. `host`: it is all
   * of a host, which a command names so; `isOpen`: the operator has opened it to commands.
   */
  | {
      readonly kind: "url";
      readonly url: string;
      readonly sendsBody: boolean;
      readonly isKnown?: boolean;
      readonly host?: string;
      readonly isOpen?: boolean;
    }
  /** For `secret`: one of the operator's, by name. A command may use it at these hosts, and doesn't see it. */
  | { readonly kind: "secret"; readonly name: string; readonly hosts: readonly string[] }
  /** For `send`: `<platform>:user:<id>` or `<platform>:group:<id>`. `isOrigin`: the conversation that the turn answers. */
  | { readonly kind: "recipient"; readonly recipient: string; readonly isOrigin: boolean };
