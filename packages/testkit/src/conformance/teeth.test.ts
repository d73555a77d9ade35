import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import type { Adapter, AdapterHost, Capabilities, ReplyTarget, ReplyView } from "@talaria/adapter";
import {
  brandAs,
  type DeliveryKey,
  type EventId,
  GatewayError,
  type InboundEvent,
  type MessageId,
  type OutboundMessage,
  type UserId,
} from "@talaria/protocol";
import { conformanceTests, runConformanceTest } from "./describe-adapter.ts";
import { makeLoopbackHarness } from "./loopback-harness.ts";
import { overlay } from "./overlay.ts";

/** One way to write a bad adapter, and the test that has to notice. */
interface Breakage {
  readonly name: string;
  readonly caughtBy: string;
  readonly spoil: (adapter: Adapter) => Partial<Record<keyof Adapter, unknown>>;
}

const breakages: readonly Breakage[] = [
  {
    name: "acknowledges early",
    caughtBy: "nothing is acknowledged that the host did not record",
    spoil: withHost((host) => ({
      accept: async (event) => {
        void host.accept(event).catch(() => undefined);
        return "recorded";
      },
    })),
  },
  {
    name: "acknowledges what was refused",
    caughtBy: "a host that rejects leaves the event to be redelivered",
    spoil: withHost((host) => ({ accept: (event) => host.accept(event).catch(() => "dropped") })),
  },
  {
    name: "makes up event ids",
    caughtBy: "a redelivered message has the same event id",
    spoil: withEvents((event) => ({ ...event, id: brandAs<EventId>(randomUUID()) })),
  },
  {
    name: "gives every event the same id",
    caughtBy: "a redelivered message has the same event id",
    spoil: withEvents((event) => ({ ...event, id: brandAs<EventId>("event") })),
  },
  {
    name: "puts a Date into an event",
    caughtBy: "events survive JSON unchanged",
    spoil: withEvents((event) => ({ ...event, occurredAt: new Date(0) as unknown as InboundEvent["occurredAt"] })),
  },
  {
    name: "lets U+0000 through",
    caughtBy: "events survive JSON unchanged",
    spoil: withEvents((event) => ({ ...event, sender: { ...event.sender, displayName: "A\u0000da" } })),
  },
  {
    name: "takes itself for a person",
    caughtBy: "own messages are marked self, or not delivered",
    spoil: withEvents((event) => ({ ...event, sender: { ...event.sender, role: "person" } })),
  },
  {
    name: "leaves the user id empty",
    caughtBy: "a message is attributed to a person with a stable id",
    spoil: withEvents((event) => ({ ...event, sender: { ...event.sender, userId: brandAs<UserId>("") } })),
  },
  {
    name: "gives an edited message a new id",
    caughtBy: "an edit keeps the message id",
    spoil: withEvents((event) =>
      event.type === "message.edited"
        ? { ...event, message: { ...event.message, messageId: brandAs<MessageId>("new") } }
        : event,
    ),
  },
  {
    name: "forgets the thread",
    caughtBy: "a message in a thread carries its thread, and answers go there",
    spoil: withEvents((event) => {
      const { threadId: _, ...conversation } = event.conversation;
      return { ...event, conversation };
    }),
  },
  {
    name: "goes on with the next event after a rejection",
    caughtBy: "events of one conversation come in order, also around a rejection",
    spoil: withHost((host) => {
      let late: InboundEvent | undefined;
      return {
        accept: async (event) => {
          const isRefused = await host.accept(event).then(
            () => false,
            () => true,
          );
          if (isRefused) late = event;
          else if (late !== undefined) await host.accept(late).then(() => (late = undefined));
          return "recorded";
        },
      };
    }),
  },
  ...(["edit", "setTyping", "openMedia", "react", "unreact"] as const).map((method) =>
    belied(`has no ${method} and promises it`, () => ({ [method]: undefined })),
  ),
  ...(["edit", "typing", "receive"] as const).map((capability) =>
    belied(`keeps quiet about \`${capability}\``, ({ [capability]: _, ...others }) => ({ capabilities: others })),
  ),
  belied("has a view without `view`", () => ({ openReply: async () => undefined })),
  belied("has `view` without a view", (has) => ({ capabilities: { ...has, view: { minIntervalMs: 1 } } })),
  belied("looks for what it may send again", () => ({ findSent: async () => undefined })),
  belied("adds abilities in a conversation", (has) => ({
    capabilitiesFor: () => ({ ...has, view: { minIntervalMs: 1 } }),
  })),
  ...(
    [
      ["a message of no length", { maxTextLength: 0 }],
      ["messages with no file in them", { send: { maxBytes: 1, maxPerMessage: 0, maxCaptionLength: 1 } }],
      ["files of no bytes", { receive: { maxBytes: 0 } }],
      ["a single button", { choices: { max: 1, maxLabelLength: 40 } }],
      ["typing for no time", { typing: { lastsMs: 0 } }],
      ["no pace at all", { conversationPace: { burst: 0, refillMs: 1 } }],
      ["a function", { edit: { minIntervalMs: 1, soon: () => 1 } }],
    ] as const
  ).map(([what, change]) => belied(`promises ${what}`, (has) => ({ capabilities: { ...has, ...change } }))),
  {
    name: "throws the library's own error",
    caughtBy: "a rate limit becomes rate_limited with the platform's delay",
    spoil: withSendErrors(() => new Error("429: Too Many Requests")),
  },
  {
    name: "hides that a message may have been posted",
    caughtBy: "a lost connection becomes unavailable with the effect unknown",
    spoil: withSendErrors(({ message, code }) => new GatewayError(message, { code, effect: "none" })),
  },
  {
    name: "loses the delay",
    caughtBy: "a rate limit becomes rate_limited with the platform's delay",
    spoil: withSendErrors(({ message, code, effect }) => new GatewayError(message, { code, effect })),
  },
  {
    name: "takes a bad token for a bad network",
    caughtBy: "a bad token becomes unauthorized",
    spoil: withSendErrors(({ message }) => new GatewayError(message, { code: "unavailable" })),
  },
  {
    name: "splits one send in two",
    caughtBy: "one send is one platform message, up to the declared length, with text full of markup characters",
    spoil: (adapter) => ({
      send: async (...[message, signal]: Parameters<Adapter["send"]>) => {
        const half = message.markdown.length >> 1;
        const deliveryKey = brandAs<DeliveryKey>(`${message.deliveryKey}-first`);
        await adapter.send({ ...message, deliveryKey, markdown: message.markdown.slice(0, half) }, signal);
        return adapter.send({ ...message, markdown: message.markdown.slice(half) }, signal);
      },
    }),
  },
  {
    name: "promises more length than it can send",
    caughtBy: "one send is one platform message, up to the declared length, with text full of markup characters",
    spoil: (adapter) => ({ capabilities: { ...adapter.capabilities, maxTextLength: 8_000 } }),
  },
  {
    name: "sends again by itself",
    caughtBy: "a lost connection becomes unavailable with the effect unknown",
    spoil: (adapter) => ({
      send: (...[message, signal]: Parameters<Adapter["send"]>) =>
        adapter.send(message, signal).catch(() => adapter.send(message, signal)),
    }),
  },
  {
    name: "posts again under another key",
    caughtBy: "a send whose outcome is unknown is repeated or found again without a second message",
    spoil: (adapter) => ({
      send: (...[message, signal]: Parameters<Adapter["send"]>) =>
        adapter.send({ ...message, deliveryKey: brandAs<typeof message.deliveryKey>(randomUUID()) }, signal),
    }),
  },
  {
    name: "loses what was said while it was away",
    caughtBy: "what people say while the connection is down comes when it is back, once and in order",
    spoil: withHost((host) => ({
      accept: async (event) =>
        JSON.stringify(event).includes('"in the gap"') ? ("recorded" as const) : host.accept(event),
    })),
  },
  {
    name: "cuts a file",
    caughtBy: "a file goes out whole, under its name",
    spoil: withMessages((message) => ({ ...message, attachments: [] })),
  },
  {
    name: "leaves the buttons out",
    caughtBy: "choices become buttons, and a press comes back with its id and label",
    spoil: withMessages(({ choices: _, ...message }) => message),
  },
  {
    name: "tells a press by its label alone",
    caughtBy: "choices become buttons, and a press comes back with its id and label",
    spoil: withEvents((event) => (event.type === "action.invoked" ? { ...event, actionId: event.label ?? "" } : event)),
  },
  {
    name: "never takes a reaction away",
    caughtBy: "a reaction is put on and taken away",
    spoil: () => ({ unreact: async () => undefined }),
  },
  {
    name: "only says that it deleted",
    caughtBy: "a deleted message is gone",
    spoil: () => ({ delete: async () => undefined }),
  },
  {
    name: "goes on typing by itself",
    caughtBy: "typing is told once per call, and so ends by itself",
    spoil: (adapter) => ({
      setTyping: async (...[conversation, signal]: Parameters<NonNullable<Adapter["setTyping"]>>) => {
        await adapter.setTyping?.(conversation, signal);
        setTimeout(() => void adapter.setTyping?.(conversation, signal), 10);
      },
    }),
  },
  {
    name: "says nothing and posts twice when a reply has grown",
    caughtBy: "a growing reply ends as one message with the final text",
    spoil: (adapter) => ({
      capabilities: { ...adapter.capabilities, view: { minIntervalMs: 1 } },
      openReply: async (target: ReplyTarget): Promise<ReplyView> => ({
        update: async () => undefined,
        finish: async (message, signal) => {
          await adapter.send({ ...message, ...target, deliveryKey: brandAs<DeliveryKey>("first") }, signal);
          return adapter.send(message, signal);
        },
        discard: async () => undefined,
      }),
    }),
  },
  {
    name: "does not listen to the abort signal",
    caughtBy: "an abort signal stops a send",
    spoil: (adapter) => ({
      send: (...[message]: Parameters<Adapter["send"]>) => adapter.send(message, new AbortController().signal),
    }),
  },
  {
    name: "listens to the abort signal only before it sends",
    caughtBy: "an abort signal stops a send",
    spoil: (adapter) => ({
      send: async (...[message, signal]: Parameters<Adapter["send"]>) =>
        adapter.send(message, signal.aborted ? signal : new AbortController().signal),
    }),
  },
  {
    name: "posts anew instead of editing",
    caughtBy: "an edit changes the message that was sent, and nothing else",
    spoil: (adapter) => ({
      edit: async (...[{ conversation }, markdown, signal]: Parameters<NonNullable<Adapter["edit"]>>) => {
        const deliveryKey = brandAs<Parameters<Adapter["send"]>[0]["deliveryKey"]>("again");
        await adapter.send({ conversation, markdown, deliveryKey, attachments: [] }, signal);
      },
    }),
  },
  {
    name: "opens the wrong media",
    caughtBy: "media opens and closes",
    spoil: () => ({ openMedia: async () => new Blob(["something else"]).stream() }),
  },
  {
    name: "reconnects without a word",
    caughtBy: "reconnecting reports its states in order",
    spoil: withHost((host) => ({
      report: (state) => (state.status === "reconnecting" ? undefined : host.report(state)),
    })),
  },
  {
    name: "stops without doing anything",
    caughtBy: "stop is repeatable and silent afterwards",
    spoil: () => ({ stop: async () => undefined }),
  },
  {
    name: "says it has stopped as often as it is asked",
    caughtBy: "stop is repeatable and silent afterwards",
    spoil: (adapter) => {
      let told: AdapterHost | undefined;
      return {
        start: (host: AdapterHost) => {
          told = host;
          return adapter.start(host);
        },
        stop: () => adapter.stop().then(() => told?.report({ status: "stopped" })),
      };
    },
  },
  {
    name: "lets the second stop overtake the first",
    caughtBy: "the second stop resolves only when the first has ended, and nothing is delivered afterwards",
    spoil: (adapter) => {
      let isStopping = false;
      return {
        stop: async () => {
          if (isStopping) return;
          isStopping = true;
          await adapter.stop();
        },
      };
    },
  },
  {
    name: "delivers after its stop",
    caughtBy: "the second stop resolves only when the first has ended, and nothing is delivered afterwards",
    spoil: (adapter) => {
      let told: AdapterHost | undefined;
      return {
        start: (host: AdapterHost) => {
          told = host;
          return adapter.start(host);
        },
        stop: async () => {
          await adapter.stop();
          setTimeout(() => void told?.accept({} as InboundEvent), 20);
        },
      };
    },
  },
  {
    name: "starts once only",
    caughtBy: "start after stop works",
    spoil: (adapter) => {
      let isStarted = false;
      return {
        start: async (host: AdapterHost) => {
          if (!isStarted) await adapter.start(host);
          isStarted = true;
        },
      };
    },
  },
  {
    name: "lets a start overtake a running stop",
    caughtBy: "a start during a stop waits for it",
    spoil: (adapter) => {
      let isRestarted = false;
      return {
        start: async (host: AdapterHost) => {
          if (isRestarted) for (const status of ["connecting", "connected"] as const) host.report({ status });
          isRestarted = true;
          await adapter.start(host);
        },
      };
    },
  },
  {
    name: "stops while events are being recorded",
    caughtBy: "stop waits for events that are being recorded",
    spoil: (adapter) => ({
      stop: async () => {
        void adapter.stop();
      },
    }),
  },
];

describe("the conformance suite has teeth", () => {
  for (const { name, caughtBy, spoil } of breakages) {
    it(`catches an adapter that ${name}`, async () => {
      const test = conformanceTests.find((candidate) => candidate.name === caughtBy);
      assert.ok(test, `there is no test "${caughtBy}"`);
      const makeBroken = async () => {
        const harness = await makeLoopbackHarness();
        const { adapter } = harness;
        const close = () => adapter.stop().then(() => harness.close());
        return { ...harness, adapter: overlay(adapter, spoil(adapter)), close };
      };
      await assert.rejects(runConformanceTest(test, makeBroken, 300));
    });
  }

  it("tells why an adapter does not start: code, message and cause", async () => {
    const [test] = conformanceTests;
    assert.ok(test);
    const cause = new TypeError("password.reveal is not a function");
    const error = new GatewayError("a connection failed unexpectedly", { code: "internal", cause });
    for (const start of [
      async (host: AdapterHost) => host.report({ status: "reconnecting", attempt: 1, code: "internal" }, error),
      () => Promise.reject(error),
    ]) {
      const makeBroken = async () => {
        const harness = await makeLoopbackHarness();
        return { ...harness, adapter: overlay(harness.adapter, { start }), close: async () => undefined };
      };
      await assert.rejects(
        runConformanceTest(test, makeBroken, 300),
        /^Error: start .*a connection failed unexpectedly \(internal\), because password\.reveal is not a function$/,
      );
    }
  });
});

/** Capabilities and methods that do not go together. */
function belied(
  name: string,
  spoil: (capabilities: Capabilities) => Partial<Record<keyof Adapter, unknown>>,
): Breakage {
  const caughtBy = "the capabilities can be true, and optional methods match them";
  return { name, caughtBy, spoil: ({ capabilities }) => spoil(capabilities) };
}

/** The adapter talks to another host than the suite's. */
function withHost(spoil: (host: AdapterHost) => Partial<AdapterHost>): Breakage["spoil"] {
  return (adapter) => ({
    start: (host: AdapterHost) =>
      adapter.start({
        accept: (event) => host.accept(event),
        isAllowed: (from) => host.isAllowed(from),
        heard: (conversation, messageId) => host.heard(conversation, messageId),
        received: (from, messageIds) => host.received(from, messageIds),
        kindChanged: (conversation) => host.kindChanged(conversation),
        added: (conversation, by) => host.added(conversation, by),
        leftOut: (reason) => host.leftOut(reason),
        report: (state) => host.report(state),
        receipt: (receipt) => host.receipt(receipt),
        ...spoil(host),
      }),
  });
}

/** What goes out is changed on its way. */
function withMessages(change: (message: OutboundMessage) => OutboundMessage): Breakage["spoil"] {
  return (adapter) => ({
    send: (...[message, signal]: Parameters<Adapter["send"]>) => adapter.send(change(message), signal),
  });
}

function withEvents(change: (event: InboundEvent) => InboundEvent): Breakage["spoil"] {
  return withHost((host) => ({ accept: (event) => host.accept(change(event)) }));
}

function withSendErrors(change: (error: GatewayError) => Error): Breakage["spoil"] {
  return (adapter) => ({
    send: (...[message, signal]: Parameters<Adapter["send"]>) =>
      adapter.send(message, signal).catch((error: GatewayError) => {
        throw change(error);
      }),
  });
}
