import type { Socket } from "node:net";
import { bad, type ImapAnswer, no, ok } from "./imap-answer.ts";
import { type ImapCommand, ImapCommandReader, type ImapWord, parseCommand, textOfWord } from "./imap-command.ts";
import { credentialsOf } from "./imap-credentials.ts";
import { ImapSelection } from "./imap-selection.ts";
import type { ImapWorld } from "./imap-world.ts";

const capabilities = "IMAP4rev1 SASL-IR LITERAL+ ID NAMESPACE IDLE UIDPLUS MOVE AUTH=PLAIN AUTH=XOAUTH2";

/** One connection of a client, strict about states and syntax. */
export class ImapSession {
  readonly #socket: Socket;
  readonly #world: ImapWorld;
  readonly #reader: ImapCommandReader;
  #isAuthenticated = false;
  #selection: ImapSelection | undefined;
  #idleTag: string | undefined;
  /** A login that waits for its secret on a line of its own. */
  #loggingIn: { readonly tag: string; readonly method: string } | undefined;
  #isDeaf = false;

  constructor(socket: Socket, world: ImapWorld) {
    this.#socket = socket;
    this.#world = world;
    this.#reader = new ImapCommandReader(
      (line) => this.#receive(line),
      () => this.#write("+ go on"),
    );
    socket.setEncoding("latin1");
    socket.on("data", (data: string) => {
      if (!this.#isDeaf) this.#reader.push(data);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => this.#unselect());
    this.#write(`* OK [CAPABILITY ${capabilities}] ready`);
  }

  get isIdling(): boolean {
    return this.#idleTag !== undefined;
  }

  /** Says goodbye and ends, as `doveadm kick` does. */
  kick(): void {
    this.#write("* BYE disconnected by the administrator");
    this.#socket.end();
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** The connection stays open and nothing comes through any more, as behind a router that forgot it. */
  deafen(): void {
    this.#isDeaf = true;
  }

  #write(line: string): void {
    if (!this.#isDeaf && this.#socket.writable) this.#socket.write(`${line}\r\n`, "latin1");
  }

  #receive(line: string): void {
    if (this.#idleTag !== undefined) {
      const tag = this.#idleTag;
      this.#idleTag = undefined;
      this.#write(line.toUpperCase() === "DONE" ? `${tag} OK idle ended` : `${tag} BAD expected DONE`);
      return;
    }
    if (this.#loggingIn !== undefined) {
      const { tag, method } = this.#loggingIn;
      this.#loggingIn = undefined;
      this.#finish(tag, this.#authenticate(method, line));
      return;
    }
    const command = parseCommand(line);
    if (command === undefined) this.#write("* BAD this is no command");
    else this.#obey(command);
  }

  #obey(command: ImapCommand): void {
    this.#world.note(command.name);
    const fault = this.#world.faultOf(command.name);
    if (fault?.kind === "cut") this.cut();
    if (fault?.kind === "answer") this.#write(`${command.tag} ${fault.status} ${fault.text}`);
    if (fault !== undefined) return;
    if (command.name === "IDLE") {
      this.#idle(command.tag);
      return;
    }
    if (command.name === "AUTHENTICATE" && command.words.length === 1) {
      this.#loggingIn = { tag: command.tag, method: textOfWord(command.words[0]) };
      this.#write("+ ");
      return;
    }
    const answer = this.#run(command);
    if (!/^(FETCH|STORE|SEARCH)$/.test(command.name)) this.#selection?.tellNews();
    this.#finish(command.tag, answer);
    if (command.name === "LOGOUT") this.#socket.end();
  }

  #finish(tag: string, { status, text }: ImapAnswer): void {
    this.#write(`${tag} ${status} ${text}`);
  }

  #idle(tag: string): void {
    if (this.#selection === undefined) {
      this.#write(`${tag} BAD no mailbox is selected`);
      return;
    }
    this.#idleTag = tag;
    this.#write("+ idling");
    this.#selection.tellNews();
  }

  #run({ name, words }: ImapCommand): ImapAnswer {
    switch (name) {
      case "CAPABILITY":
        this.#write(`* CAPABILITY ${capabilities}`);
        return ok("done");
      case "NOOP":
        return ok("done");
      case "ID":
        this.#write('* ID ("name" "testkit")');
        return ok("done");
      case "LOGOUT":
        this.#write("* BYE goodbye");
        return ok("done");
      case "LOGIN":
        return this.#logIn(textOfWord(words[0]), textOfWord(words[1]));
      case "AUTHENTICATE":
        return this.#authenticate(textOfWord(words[0]), textOfWord(words[1]));
      default:
        return this.#isAuthenticated ? this.#runAuthenticated(name, words) : bad("not authenticated");
    }
  }

  #authenticate(method: string, initial: string): ImapAnswer {
    const credentials = credentialsOf(method, initial);
    return credentials === undefined ? no("unknown mechanism") : this.#logIn(credentials.user, credentials.password);
  }

  #logIn(user: string, password: string): ImapAnswer {
    if (user !== this.#world.user || password !== this.#world.password)
      return no("[AUTHENTICATIONFAILED] Authentication failed.");
    this.#isAuthenticated = true;
    return ok(`[CAPABILITY ${capabilities}] logged in`);
  }

  #runAuthenticated(name: string, words: readonly ImapWord[]): ImapAnswer {
    switch (name) {
      case "NAMESPACE":
        this.#write('* NAMESPACE (("" "/")) NIL NIL');
        return ok("done");
      case "LIST":
        for (const mailbox of this.#world.mailboxes.values())
          this.#write(`* LIST (\\HasNoChildren) "/" "${mailbox.name}"`);
        return ok("done");
      case "LSUB":
        return ok("done");
      case "CREATE":
        return this.#world.create(textOfWord(words[0])) ? ok("created") : no("[ALREADYEXISTS] it exists");
      case "SUBSCRIBE":
        return ok("done");
      case "STATUS":
        return this.#status(textOfWord(words[0]), words[1]);
      case "SELECT":
      case "EXAMINE":
        return this.#select(textOfWord(words[0]), name === "EXAMINE");
      case "APPEND":
        return this.#append(words);
      default:
        if (this.#selection === undefined) return bad("unknown command or wrong state");
        if (name !== "CLOSE") return this.#selection.run(name, words);
        this.#unselect();
        return ok("done");
    }
  }

  #status(path: string, items: ImapWord | undefined): ImapAnswer {
    const mailbox = this.#world.find(path);
    if (mailbox === undefined) return no("[NONEXISTENT] no such mailbox");
    const values: Record<string, number> = {
      MESSAGES: mailbox.mails.length,
      UIDNEXT: mailbox.uidNext,
      UIDVALIDITY: mailbox.uidValidity,
    };
    const asked = (Array.isArray(items) ? items : []).map((item) => textOfWord(item).toUpperCase());
    this.#write(`* STATUS "${mailbox.name}" (${asked.map((item) => `${item} ${values[item] ?? 0}`).join(" ")})`);
    return ok("done");
  }

  #unselect(): void {
    this.#selection?.close();
    this.#selection = undefined;
  }

  #select(path: string, isReadOnly: boolean): ImapAnswer {
    this.#unselect();
    const mailbox = this.#world.find(path);
    if (mailbox === undefined) return no("[NONEXISTENT] no such mailbox");
    this.#selection = new ImapSelection(mailbox, isReadOnly, {
      world: this.#world,
      write: (line) => this.#write(line),
      cut: () => this.cut(),
      noticed: () => {
        if (this.#idleTag !== undefined) this.#selection?.tellNews();
      },
    });
    return this.#selection.open();
  }

  #append(words: readonly ImapWord[]): ImapAnswer {
    const mailbox = this.#world.find(textOfWord(words[0]));
    if (mailbox === undefined) return no("[TRYCREATE] no such mailbox");
    const flags = words.find((word) => Array.isArray(word)) as readonly ImapWord[] | undefined;
    const { uid } = mailbox.add(textOfWord(words.at(-1)), new Date(), (flags ?? []).map(textOfWord));
    return ok(`[APPENDUID ${mailbox.uidValidity} ${uid}] appended`);
  }
}
