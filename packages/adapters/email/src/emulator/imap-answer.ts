/** How a command ended. */
export interface ImapAnswer {
  readonly status: "OK" | "NO" | "BAD";
  readonly text: string;
}

export const ok = (text: string): ImapAnswer => ({ status: "OK", text });
export const no = (text: string): ImapAnswer => ({ status: "NO", text });
export const bad = (text: string): ImapAnswer => ({ status: "BAD", text });
