import type { Socket } from "node:net";
import { type ImapCommand, ImapCommandReader, type ImapWord, parseCommand, textOfWord } from "./imap-command.ts";
import { fetchItems, searchDate } from "./imap-fetch.ts";
import type { ImapMailbox, StoredMail } from "./imap-mailbox.ts";
import type { ImapWorld } from "./imap-world.ts";
import { fieldOf } from "./mime-tree.ts";

const capabilities = "IMAP4rev1 SASL-IR LITERAL+ ID NAMESPACE IDLE UIDPLUS MOVE AUTH=PLAIN AUTH=XOAUTH2";

type Answer = { readonly status: "OK" | "NO" | "BAD"; readonly text: string };
const ok = (text: string): Answer => ({ status: "OK", text });
const no = (text: string): Answer => ({ status: "NO", text });
const bad = (text: string): Answer => ({ status: "BAD", text });

/** One connection of a client, strict about states and syntax. */
export class ImapSession {
  readonly #socket: Socket;
  readonly #world: ImapWorld;
  readonly #reader: ImapCommandReader;
  #isAuthenticated = false;
  #selected: { mailbox: ImapMailbox; readOnly: boolean; exists: number; unwatch: () => void } | undefined;
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
    if (!/^(FETCH|STORE|SEARCH)$/.test(command.name)) this.#tellNews();
    this.#finish(command.tag, answer);
    if (command.name === "LOGOUT") this.#socket.end();
  }

  #finish(tag: string, { status, text }: Answer): void {
    this.#write(`${tag} ${status} ${text}`);
  }

  #idle(tag: string): void {
    if (this.#selected === undefined) {
      this.#write(`${tag} BAD no mailbox is selected`);
      return;
    }
    this.#idleTag = tag;
    this.#write("+ idling");
    this.#tellNews();
  }

  #tellNews(): void {
    const selected = this.#selected;
    if (selected === undefined || selected.exists === selected.mailbox.mails.length) return;
    selected.exists = selected.mailbox.mails.length;
    this.#write(`* ${selected.exists} EXISTS`);
  }

  #run({ name, words }: ImapCommand): Answer {
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

  #authenticate(method: string, initial: string): Answer {
    const said = Buffer.from(initial, "base64").toString("utf8");
    if (method.toUpperCase() === "PLAIN") {
      const [, user = "", password = ""] = said.split("\0");
      return this.#logIn(user, password);
    }
    if (method.toUpperCase() !== "XOAUTH2") return no("unknown mechanism");
    const facts = new Map(
      said.split("\u0001").map((fact) => [fact.split("=", 1)[0], fact.slice(fact.indexOf("=") + 1)]),
    );
    return this.#logIn(facts.get("user") ?? "", (facts.get("auth") ?? "").replace(/^Bearer /, ""));
  }

  #logIn(user: string, password: string): Answer {
    if (user !== this.#world.user || password !== this.#world.password)
      return no("[AUTHENTICATIONFAILED] Authentication failed.");
    this.#isAuthenticated = true;
    return ok(`[CAPABILITY ${capabilities}] logged in`);
  }

  #runAuthenticated(name: string, words: readonly ImapWord[]): Answer {
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
        return this.#selected === undefined ? bad("unknown command or wrong state") : this.#runSelected(name, words);
    }
  }

  #status(path: string, items: ImapWord | undefined): Answer {
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
    this.#selected?.unwatch();
    this.#selected = undefined;
  }

  #select(path: string, readOnly: boolean): Answer {
    this.#unselect();
    const mailbox = this.#world.find(path);
    if (mailbox === undefined) return no("[NONEXISTENT] no such mailbox");
    const unwatch = mailbox.watch(() => {
      if (this.#idleTag !== undefined) this.#tellNews();
    });
    this.#selected = { mailbox, readOnly, exists: mailbox.mails.length, unwatch };
    this.#write("* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)");
    this.#write("* OK [PERMANENTFLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft \\*)] flags");
    this.#write(`* ${mailbox.mails.length} EXISTS`);
    this.#write("* 0 RECENT");
    this.#write(`* OK [UIDVALIDITY ${mailbox.uidValidity}] valid`);
    this.#write(`* OK [UIDNEXT ${mailbox.uidNext}] next`);
    return ok(readOnly ? "[READ-ONLY] opened" : "[READ-WRITE] opened");
  }

  #append(words: readonly ImapWord[]): Answer {
    const mailbox = this.#world.find(textOfWord(words[0]));
    if (mailbox === undefined) return no("[TRYCREATE] no such mailbox");
    const flags = words.find((word) => Array.isArray(word)) as readonly ImapWord[] | undefined;
    const { uid } = mailbox.add(textOfWord(words.at(-1)), new Date(), (flags ?? []).map(textOfWord));
    return ok(`[APPENDUID ${mailbox.uidValidity} ${uid}] appended`);
  }

  #runSelected(name: string, words: readonly ImapWord[]): Answer {
    const byUid = name.startsWith("UID ");
    switch (byUid ? name.slice(4) : name) {
      case "FETCH":
        return this.#fetch(words, byUid);
      case "SEARCH":
        return this.#search(words, byUid);
      case "STORE":
        return this.#store(words, byUid);
      case "COPY":
        return this.#copy(words, byUid, false);
      case "MOVE":
        return this.#copy(words, byUid, true);
      case "CLOSE":
        this.#unselect();
        return ok("done");
      default:
        return bad("unknown command");
    }
  }

  get #mailbox(): ImapMailbox {
    if (this.#selected === undefined) throw new Error("no mailbox is selected");
    return this.#selected.mailbox;
  }

  #fetch([set, asked]: readonly ImapWord[], byUid: boolean): Answer {
    const items = typeof asked === "string" ? [asked] : Array.isArray(asked) ? asked : [];
    for (const mail of this.#mailbox.select(textOfWord(set), byUid)) {
      const { poison } = this.#world;
      if (poison !== undefined && mail.raw.includes(poison) && items.includes("BODYSTRUCTURE")) this.cut();
      const found = fetchItems(this.#mailbox, mail, items);
      if (found === undefined) return bad("unknown item");
      this.#write(`* ${this.#mailbox.mails.indexOf(mail) + 1} FETCH (${found})`);
    }
    return ok("done");
  }

  #search(words: readonly ImapWord[], byUid: boolean): Answer {
    let found: readonly StoredMail[] = this.#mailbox.mails;
    const rest = words.map(textOfWord);
    while (rest.length > 0) {
      const key = rest.shift()?.toUpperCase();
      if (key === "UID") {
        const chosen = new Set(this.#mailbox.select(rest.shift() ?? "", true));
        found = found.filter((mail) => chosen.has(mail));
      } else if (key === "SINCE") {
        const since = searchDate(rest.shift() ?? "");
        found = found.filter(({ receivedAt }) => receivedAt.getTime() >= since);
      } else if (key === "HEADER") {
        const [name = "", value = ""] = rest.splice(0, 2);
        const isIn = (field: string) => field.toLowerCase().includes(value.toLowerCase());
        found = found.filter((mail) => isIn(fieldOf(this.#mailbox.treeOf(mail).header, name)));
      } else if (key !== "ALL") return bad(`unknown search key ${key}`);
    }
    const numbers = found.map((mail) => (byUid ? mail.uid : this.#mailbox.mails.indexOf(mail) + 1));
    this.#write(`* SEARCH${numbers.map((number) => ` ${number}`).join("")}`);
    return ok("done");
  }

  #store([set, how, flags]: readonly ImapWord[], byUid: boolean): Answer {
    if (this.#selected?.readOnly) return no("the mailbox is read-only");
    const action = textOfWord(how).toUpperCase();
    const names = (Array.isArray(flags) ? flags : [flags]).map((flag) => textOfWord(flag));
    for (const mail of this.#mailbox.select(textOfWord(set), byUid)) {
      if (!/^[+-]/.test(action)) mail.flags.clear();
      for (const name of names)
        if (action.startsWith("-")) mail.flags.delete(name);
        else mail.flags.add(name);
      const number = this.#mailbox.mails.indexOf(mail) + 1;
      if (!action.endsWith(".SILENT"))
        this.#write(`* ${number} FETCH (UID ${mail.uid} FLAGS (${[...mail.flags].join(" ")}))`);
    }
    return ok("done");
  }

  #copy([set, path]: readonly ImapWord[], byUid: boolean, isMove: boolean): Answer {
    const target = this.#world.find(textOfWord(path));
    if (target === undefined) return no("[TRYCREATE] no such mailbox");
    const mails = this.#mailbox.select(textOfWord(set), byUid);
    const copies = mails.map(({ raw, receivedAt, flags }) => target.add(raw, receivedAt, [...flags]).uid);
    const code = `[COPYUID ${target.uidValidity} ${mails.map(({ uid }) => uid).join(",")} ${copies.join(",")}]`;
    if (!isMove) return ok(`${code} copied`);
    this.#write(`* OK ${code} moved`);
    for (const number of this.#mailbox.remove(new Set(mails.map(({ uid }) => uid)))) this.#write(`* ${number} EXPUNGE`);
    if (this.#selected !== undefined) this.#selected.exists = this.#mailbox.mails.length;
    return ok("done");
  }
}
