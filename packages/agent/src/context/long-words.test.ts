import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef, type UserId } from "@talaria/protocol";
import { z } from "zod";
import { type TranscriptEntry, transcriptEntrySchema } from "../journal.ts";
import { filesOf } from "../media.ts";
import type { ModelRequest } from "../model.ts";
import { defineTool } from "../tool.ts";
import { person, play, said, says, scriptedModel, turnDeps, turnInput } from "../turn.fixture.ts";
import { material, strictServer } from "./long-work.fixture.ts";
import { memoryMedia } from "./memory-media.fixture.ts";

const windowTokens = 24_000;

/** As the tool of that name: a file that the model may name, in pieces. */
const readAttachment = defineTool({
  name: "read_attachment",
  description: "Reads a text file.",
  effect: "read",
  permissions: ["conversation.read"],
  input: z.strictObject({ id: z.string(), offset: z.int(), limit: z.int() }),
  async execute({ id, offset, limit }, { files, media, signal }) {
    const file = files.findLast((one) => one.id === id);
    if (file === undefined) throw new Error(`there is no file ${id}`);
    return { content: Buffer.from(await media.read(file.ref, { offset, length: limit }, signal)).toString() };
  },
});

function prose(chars: number): string {
  let text = "Begin.";
  for (let line = 1; text.length < chars; line += 1)
    text += ` Sentence ${line} of the letter is about matter ${line * 7}.`;
  return `${text.slice(0, chars - 4)}End.`;
}

function textOf({ messages }: ModelRequest): string {
  return messages.map(({ content }) => content).join("\n");
}

const wholeMessage =
  /whole message: file (\w{12}) \((\d+) bytes\).*?; read it with read_attachment, in pieces of (\d+) bytes at most/;

/** Reads the file that the message names, piece by piece. */
function pager() {
  let offset = 0;
  let named: readonly string[] | undefined;
  return (request: ModelRequest) => {
    named ??= wholeMessage.exec(textOf(request)) ?? undefined;
    const [, id = "", bytes = "0", piece = "0"] = named ?? [];
    if (offset >= Number(bytes)) return { text: "I have read it all.", calls: [] };
    const given = JSON.stringify({ id, offset, limit: Number(piece) });
    offset += Number(piece);
    return { text: "", calls: [{ callId: `c${offset}`, name: "read_attachment", arguments: given }] };
  };
}

function input(journal: readonly TranscriptEntry[], history: readonly TranscriptEntry[] = []) {
  const limits = { windowTokens, answerTokens: 4_000, maxToolOutputChars: 50_000, maxSteps: 200 };
  return turnInput({ ...limits, history, journal, tools: [readAttachment] });
}

async function asked(journal: readonly TranscriptEntry[], history: readonly TranscriptEntry[] = []) {
  const media = memoryMedia();
  const server = strictServer(windowTokens, () => ({ text: "Fine.", calls: [] }));
  const played = await play(input(journal, history), turnDeps(server, { media }));
  assert.deepEqual([played.outcome.status, server.refused], ["completed", 0]);
  const text = server.requests.map(textOf).join("\n");
  for (const entry of played.journal) assert.deepEqual(transcriptEntrySchema.parse(entry), entry);
  const files = filesOf([...history, ...played.journal]);
  const named = (id: string | undefined) => {
    const file = files.find((one) => one.id === id);
    return file === undefined ? undefined : Buffer.from(media.texts.get(file.ref) ?? []).toString();
  };
  return { ...played, text, named, made: played.journal.filter(({ kind }) => kind === "checkpoint") };
}

function reply(content: string): TranscriptEntry {
  return { kind: "assistant", content, toolCalls: [], model: "m", stop: "end" };
}

function talk(turns: number, chars: number): readonly TranscriptEntry[] {
  return Array.from({ length: turns }, (_, turn) => [
    said(`question ${turn}: ${material(0, chars)}`),
    reply(`Answer ${turn}.`),
  ]).flat();
}

describe("a message that the window can't hold", () => {
  const letter = prose(97_000);

  it("is a file that the text names, with no checkpoint for nothing", async () => {
    const { text, named, made } = await asked([said(letter)]);
    assert.match(text, /Begin\.[\s\S]*characters left out\][\s\S]*End\./);
    assert.equal(named(wholeMessage.exec(text)?.[1]), letter);
    assert.doesNotMatch(text, /<checkpoint/);
    assert.deepEqual(made, []);
  });

  it("is read whole by the tool that the text names, in pieces of which nothing is left out", async () => {
    const server = strictServer(windowTokens, pager());
    const { outcome, journal } = await play(input([said(letter)]), turnDeps(server, { media: memoryMedia() }));
    assert.deepEqual([outcome.status, server.refused], ["completed", 0]);
    const pieces = journal.flatMap((entry) => (entry.kind === "tool.result" ? [entry.content] : []));
    assert.equal(pieces.join(""), letter);
    for (const request of server.requests) assert.match(textOf(request), wholeMessage);
  });

  it("is so too behind a few words, behind a long talk, and in the middle of a turn", async () => {
    const call = { callId: "c1", name: "look", arguments: "{}" };
    const step: readonly TranscriptEntry[] = [
      { kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tool_calls" },
      { kind: "tool.result", callId: "c1", name: "look", content: "so it is", isError: false },
    ];
    for (const [before, history] of [
      [[], [said("hi"), reply("Hello.")]],
      [[], talk(10, 2_000)],
      [[said("look"), ...step], []],
    ] as const) {
      const { text, named } = await asked([...before, said(letter)], history);
      assert.match(text, /Begin\.[\s\S]*End\./);
      assert.ok(wholesIn(text).some((ids) => named(ids)?.includes(letter)));
    }
  });

  it("is kept with what it quotes and what is spoken in it", async () => {
    const quote = { userId: brandAs<UserId>("9"), displayName: "Nine", markdown: prose(50_000) };
    const ref = brandAs<MediaRef>(`sha256:${"ab".repeat(32)}`);
    const voice = { kind: "audio", mimeType: "audio/ogg", byteLength: 9, ref, transcript: prose(60_000) } as const;
    const { text, named } = await asked([said("What is this?", person("1"), { quote, attachments: [voice] })]);
    assert.match(text, /What is this\?/);
    const whole = named(wholeMessage.exec(text)?.[1]) ?? "";
    for (const part of ["What is this?", quote.markdown, voice.transcript]) assert.ok(whole.includes(part));
  });

  it("is shown in part all the same where no file can be kept", async () => {
    const server = strictServer(windowTokens, () => ({ text: "Fine.", calls: [] }));
    const { outcome } = await play(input([said(letter)]), turnDeps(server));
    assert.deepEqual([outcome.status, server.refused], ["completed", 0]);
    assert.match(textOf(server.requests[0] as ModelRequest), /Begin\.[\s\S]*characters left out\][\s\S]*End\./);
  });
});

describe("a message that the window can hold", () => {
  /** With room for an answer behind it, and for no long result. */
  const letter = prose(66_000);

  it("stays whole when it is the first", async () => {
    const { text, journal } = await asked([said(letter)]);
    assert.ok(text.includes(letter));
    assert.deepEqual(
      journal.map(({ kind }) => kind),
      ["user", "assistant"],
    );
  });

  it("stays whole behind a talk for which a checkpoint stands", async () => {
    for (const history of [[said("hi"), reply("Hello.")], talk(10, 2_000)]) {
      const { text, made } = await asked([said(letter)], history);
      assert.ok(text.includes(letter));
      assert.equal(made.length, history.length > 2 ? 1 : 0);
    }
  });

  it("is a file that a later checkpoint names where it shows only a part", async () => {
    const { text, named, made } = await asked([said("and now?")], [...talk(8, 2_000), said(letter), reply("Read.")]);
    assert.equal(made.length, 1);
    assert.match(text, /<checkpoint[\s\S]*characters left out\][\s\S]*<\/checkpoint>/);
    assert.ok(wholesIn(text).some((ids) => named(ids)?.includes(letter)));
  });
});

describe("words for which a checkpoint has no room", () => {
  it("stand in a file that it names, also after several checkpoints", async () => {
    const media = memoryMedia();
    const model = scriptedModel(says("Fine."));
    let history: readonly TranscriptEntry[] = [];
    for (let round = 0; round < 4; round += 1) {
      const journal = [said(`and now, ${round}?`)];
      history = [...history, ...talk(8, 3_000).map((one) => numbered(one, round))];
      const turn = await play(input(journal, history), turnDeps(model, { media }));
      history = [...history, ...turn.journal];
    }
    const text = textOf(model.requests.at(-1) as ModelRequest);
    const ids =
      /\(\d+ left out; what people wrote there stands in ([^)]*\)(?:, \w+ \([^)]*\))*)\)/.exec(text)?.[1] ?? "";
    const files = filesOf(history);
    const texts = [...ids.matchAll(/(\w{12}) \(/g)].map(([, id]) => {
      const file = files.find((one) => one.id === id);
      return Buffer.from((file && media.texts.get(file.ref)) ?? []).toString();
    });
    for (let round = 0; round < 4; round += 1)
      for (let turn = 0; turn < 8; turn += 1) {
        const words = `round ${round}, question ${turn}: `;
        assert.ok(text.includes(words) || texts.some((one) => one.includes(words)), `${words} in ${ids}`);
      }
  });
});

/** The files of every message that is shown in part. */
function wholesIn(text: string): readonly (string | undefined)[] {
  return [...text.matchAll(new RegExp(wholeMessage, "g"))].map(([, ids]) => ids);
}

function numbered(entry: TranscriptEntry, round: number): TranscriptEntry {
  return entry.kind === "user" ? { ...entry, markdown: `round ${round}, ${entry.markdown}` } : entry;
}
