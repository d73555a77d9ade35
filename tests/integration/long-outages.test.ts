import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import tls from "node:tls";
import {
  brandAs,
  type DeliveryKey,
  type MediaRef,
  type Platform,
  type SessionKey,
  type StreamFrame,
  silentLog,
  type TurnId,
} from "@talaria/protocol";
import type { OutboxText } from "@talaria/store";
import { type SeenAnswer, sampleFile } from "@talaria/testkit";
import { createDelivery, type Delivery } from "../../packages/delivery/src/delivery.ts";
import { silentMetrics } from "../../packages/delivery/src/metrics.ts";
import { type StoredOutbox, useStore } from "../../packages/delivery/src/test-store.ts";
import { makeCertificates } from "../support/certificates.ts";
import { OutageStand, type Outcome, type Talk, untilCalm } from "../support/outage-stand.ts";
import { stages } from "../support/platforms/stages.ts";

const mark = "(Sent again: it may have arrived before.)";
const conversations = 20;
const durationsMs = [1_000, 10_000, 60_000, 600_000];
/** Nobody waits longer than the longest pause between two attempts, and for the others' turns. */
const patienceMs = 30 * 60_000;

/** What fails, on platforms that are called by HTTP and for mail. `isPlain`: everybody knows that nothing has arrived. */
const failings: readonly { readonly http: Outcome; readonly smtp: Outcome; readonly isPlain?: true }[] = [
  { http: "a page of 502", smtp: "bytes that are no SMTP" },
  { http: "502 as JSON", smtp: "421 instead of a greeting" },
  { http: "refused connections", smtp: "refused connections", isPlain: true },
  { http: "connections that close before anything happens", smtp: "connections that close before the mail is taken" },
  { http: "connections that close after it happened", smtp: "connections that close after the mail was taken" },
  { http: "silence", smtp: "silence" },
  { http: "half an answer after it happened", smtp: "half an answer after the mail was taken" },
  { http: "429 without a number", smtp: "451 to the mail", isPlain: true },
  { http: "a name that nobody knows", smtp: "refused connections", isPlain: true },
  { http: "slow answers", smtp: "slow answers", isPlain: true },
];
const certificateFailing: (typeof failings)[number] = {
  http: "a stranger's certificate",
  smtp: "a stranger's certificate",
  isPlain: true,
};

type Kind = "text" | "file" | "question" | "edit";
const kinds: readonly Kind[] = ["text", "file", "question", "edit"];

interface Sent {
  readonly talk: Talk;
  readonly kind: Kind;
  readonly words: string;
  readonly most: number;
}

describeWorld("by HTTP", failings, async () => undefined);

const certificates = await makeCertificates();
describeWorld(
  "by HTTPS",
  [certificateFailing],
  async () => certificates,
  certificates === undefined && "needs openssl",
);

/** The real delivery and the real adapters against emulators that fail; time is simulated and passes for all of them at once. */
function describeWorld(
  how: string,
  all: typeof failings,
  certificatesOf: () => ReturnType<typeof makeCertificates>,
  skip: string | false = false,
): void {
  describe(`a long outage of every platform, called ${how}`, { skip }, () => {
    const store = useStore();
    const stands = new Map<Platform, OutageStand>();
    const trusted = tls.getCACertificates("default");
    let outbox: StoredOutbox;
    let delivery: Delivery;
    let scene = 0;

    before(async () => {
      const given = await certificatesOf();
      if (given !== undefined) tls.setDefaultCACertificates([...trusted, given.authority]);
      outbox = await store.fresh();
      const { clock } = outbox;
      outbox.rest = () => untilCalm([...stands.values()]);
      const own = {
        turns: { partial: async () => undefined },
        random: () => 0.5,
        log: silentLog,
        metrics: silentMetrics,
      };
      delivery = createDelivery({ ...own, clock, outbox: outbox.port });
      for (const [platform, start] of stages) {
        const stand = await OutageStand.open(platform, await start(), {
          clock,
          certificates: given,
          talks: conversations,
        });
        stands.set(platform, stand);
        delivery.attach(stand.adapter, await outbox.otherLease(stand.adapter.id, 60 * 60_000));
      }
    });

    after(async () => {
      for (const { adapter } of stands.values()) await delivery.detach(adapter.id, 0);
      for (const stand of stands.values()) await stand[Symbol.asyncDispose]();
      tls.setDefaultCACertificates(trusted);
    });

    for (const failing of all)
      for (const forMs of durationsMs)
        it(`with ${failing.http} for ${forMs / 1_000} s loses nothing`, async (test) => {
          scene += 1;
          const sent = [...stands].flatMap(([platform, stand]) => textsOf(platform, stand, scene, failing));
          for (const one of sent) if (one.kind === "edit") grow(one, delivery);
          await outbox.clock.advance(5_000);
          await Promise.all(
            [...stands].map(([platform, stand]) => stand.begin(platform === "email" ? failing.smtp : failing.http)),
          );
          await outbox.addAll(sent.map(rowOf));
          for (const { adapter } of stands.values()) delivery.poke(adapter.id);
          await outbox.clock.advance(forMs);
          for (const stand of stands.values()) await stand.end();
          const waitedMs = await untilSent(outbox);
          test.diagnostic(`the last answer arrived ${waitedMs / 1_000} s after the outage`);
          assert.equal(await outbox.count("failed"), 0, "none is given up");
          for (const one of sent) checkCopies(one);
        });
  });
}

function textsOf(
  platform: Platform,
  { talks, neverDoubles }: OutageStand,
  scene: number,
  { isPlain }: (typeof failings)[number],
): readonly Sent[] {
  const most = neverDoubles || isPlain ? 1 : 2;
  return talks.map((talk, n) => {
    const kind = kinds[n % kinds.length] ?? "text";
    return { talk, kind, words: `${platform} ${scene} answer ${n}.`, most };
  });
}

/** Simulated milliseconds until nothing waits any more. */
async function untilSent(outbox: StoredOutbox): Promise<number> {
  const from = outbox.clock.elapsed();
  while (await outbox.isPending()) {
    if (outbox.clock.elapsed() - from >= patienceMs) assert.fail(await whatWaits(outbox));
    await outbox.clock.advance(5_000);
  }
  return outbox.clock.elapsed() - from;
}

async function whatWaits(outbox: StoredOutbox): Promise<string> {
  const waiting = (await outbox.rows()).filter(({ state }) => state === "pending");
  return `${waiting.length} wait:\n${waiting.map((row) => JSON.stringify(row)).join("\n")}`;
}

/** The reply is shown while it grows. */
function grow({ talk, words }: Sent, delivery: Delivery): void {
  const head = { accountId: talk.conversation.accountId, turnId: turnOf(words), sessionKey: sessionOf(talk), fence: 1 };
  const frames: readonly StreamFrame[] = [
    { ...head, n: 0, type: "started", conversation: talk.conversation },
    { ...head, n: 1, type: "delta", offset: 0, text: "It begins" },
  ];
  for (const frame of frames) delivery.frame(frame);
}

function rowOf({ talk, kind, words }: Sent): OutboxText {
  const { bytes, ref, ...file } = sampleFile;
  const attachment = { ...file, byteLength: bytes.length, ref: brandAs<MediaRef>(ref) };
  const choices = ["red", "green"].map((id) => ({ id, label: id }));
  return {
    deliveryKey: brandAs<DeliveryKey>(words),
    kind: kind === "edit" ? "reply" : "notice",
    conversation: talk.conversation,
    markdown: words,
    attachments: kind === "file" ? [attachment] : [],
    ...(kind === "question" && { choices }),
    ...(kind === "edit" && { turnId: turnOf(words), sessionKey: sessionOf(talk) }),
  };
}

function turnOf(words: string): TurnId {
  return brandAs<TurnId>(words);
}

function sessionOf({ conversation }: Talk): SessionKey {
  return brandAs<SessionKey>(`${conversation.accountId}/${conversation.conversationId}`);
}

function checkCopies({ talk, kind, words, most }: Sent): void {
  const copies = talk.place.answers().filter(({ text }) => text.replaceAll(/\s+/g, " ").includes(words));
  const told = `${kind}, ${copies.length} copies of ${words}: ${JSON.stringify(copies.map(({ text }) => text))}`;
  assert.ok(copies.length >= 1 && copies.length <= most, told);
  assert.ok(copies.slice(1).every(isMarked), told);
  if (most === 1) assert.ok(!copies.some(isMarked), told);
  for (const copy of copies) {
    if (kind === "file") assert.equal(copy.files.length, 1, told);
    if (kind === "question") assert.match(`${copy.text} ${copy.buttons?.join(" ")}`, /red[\s\S]*green/, told);
  }
}

function isMarked({ text }: SeenAnswer): boolean {
  return text.replaceAll(/\s+/g, " ").includes(mark);
}
