/** Identifies a message. `...Alt` is the same person's other id: a number for a LID, or the other way round. */
export interface WebKey {
  readonly remoteJid?: string | null;
  readonly remoteJidAlt?: string | null;
  readonly fromMe?: boolean | null;
  readonly id?: string | null;
  readonly participant?: string | null;
  readonly participantAlt?: string | null;
}

export interface WebMessage {
  readonly key: WebKey;
  /** The protocol's own message; null for what could not be decrypted. */
  readonly message?: object | null;
  readonly messageTimestamp?: number | { toNumber(): number } | null;
  readonly pushName?: string | null;
}

export interface WebConnectionUpdate {
  readonly connection?: "open" | "connecting" | "close";
  readonly qr?: string;
  readonly lastDisconnect?: { readonly error?: unknown };
}

export interface AckNode {
  readonly attrs: { readonly id?: string; readonly error?: string };
}

/** The frame of a message. `offline`: it was sent while the device was away. */
export interface MessageNode {
  readonly attrs: { readonly id?: string; readonly offline?: string };
}

/** What this package uses of a Baileys socket. One connection: after its end a new one is made. */
export interface LinkSocket {
  readonly ev: {
    on(event: "connection.update", listener: (update: WebConnectionUpdate) => void): void;
    on(event: "creds.update", listener: () => void): void;
    on(
      event: "messages.upsert",
      listener: (upsert: { readonly messages: readonly WebMessage[]; readonly type: string }) => void,
    ): void;
  };
  /** The frames themselves: rc14 tells of a refused message in an event, but of an accepted one only here. */
  readonly ws: {
    on(event: "CB:ack,class:message", listener: (node: AckNode) => void): void;
    on(event: "CB:message", listener: (node: MessageNode) => void): void;
  };
  readonly user?: { readonly id: string; readonly lid?: string | undefined } | undefined;
  sendMessage(jid: string, content: object, options: object): Promise<unknown>;
  readMessages(keys: readonly WebKey[]): Promise<void>;
  sendPresenceUpdate(type: "composing" | "paused", jid: string): Promise<void>;
  requestPairingCode(number: string): Promise<string>;
  end(error: Error | undefined): unknown;
}
