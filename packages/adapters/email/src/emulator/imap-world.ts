import { ImapMailbox } from "./imap-mailbox.ts";

/** What the server does instead of carrying out a command. */
export type ImapFault =
  | { readonly kind: "answer"; readonly status: "NO" | "BAD"; readonly text: string }
  | { readonly kind: "cut" }
  /** No answer ever comes. */
  | { readonly kind: "hang" };

/** What all connections share: the account, its folders, the faults to come. */
export class ImapWorld {
  readonly user: string;
  password: string;
  readonly mailboxes = new Map<string, ImapMailbox>();
  /** The structure of a mail with these words is never told. */
  poison: string | undefined;
  /** Names of the commands that came, in order. */
  readonly commands: string[] = [];
  /** What was asked of each mail, in order: `7 BODYSTRUCTURE`, `7 BODY.PEEK[1]<0.65536>`. */
  readonly fetched: string[] = [];
  readonly #faults: { readonly command: string; readonly fault: ImapFault; left: number }[] = [];

  constructor(user: string, password: string) {
    this.user = user;
    this.password = password;
    this.create("INBOX");
  }

  create(name: string): boolean {
    if (this.find(name) !== undefined) return false;
    this.mailboxes.set(keyOf(name), new ImapMailbox(name, 1_000 + this.mailboxes.size));
    return true;
  }

  find(name: string): ImapMailbox | undefined {
    return this.mailboxes.get(keyOf(name));
  }

  fail(command: string, fault: ImapFault, times = 1): void {
    this.#faults.push({ command, fault, left: times });
  }

  faultOf(command: string): ImapFault | undefined {
    const plan = this.#faults.find((each) => each.command === command && each.left > 0);
    if (plan !== undefined) plan.left -= 1;
    return plan?.fault;
  }

  note(command: string): void {
    this.commands.push(command);
  }
}

/** INBOX alone is the same in any letters. */
function keyOf(name: string): string {
  return name.toUpperCase() === "INBOX" ? "INBOX" : name;
}
