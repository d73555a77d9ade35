import type { ModelServer } from "@talaria/testkit";
import { longestWaitMs, waitFor } from "../../support/wait-for.ts";
import { type Answers, openQuestions, question } from "./answers.ts";
import type { Fleet } from "./fleet.ts";
import type { FleetProcess } from "./fleet-process.ts";

/** How long anything may take on a busy machine. */
export const patienceMs = longestWaitMs;

/** A fleet, and the model that its workers ask. */
export interface JourneyWorld {
  readonly fleet: Fleet;
  readonly model: ModelServer;
  readonly answers: Answers;
}

export type Processes = Readonly<Record<FleetProcess["kind"], FleetProcess>>;

/** A direct chat or a group as its people use it. */
export interface Screen {
  say(text: string): unknown;
  /** The agent's messages, drafts left out. */
  readonly texts: () => readonly string[];
  /** The same with drafts. */
  readonly glance: () => string;
  /** The agent's next new message with these words is posted, and its sender never learns it. Resolves when it was. */
  lose(words: string): Promise<void>;
  /** Characters of a text that fills more than half of a message and fits into it. 0 where any answer is one message. */
  readonly longText: number;
}

/** One question on its way through a fleet, and the two processes that carry it. */
export class Journey {
  readonly world: JourneyWorld;
  readonly gateway: FleetProcess;
  readonly worker: FleetProcess;
  readonly asked = question();
  readonly screen: Screen;

  constructor(world: JourneyWorld, processes: Processes, screen: Screen) {
    this.world = world;
    this.gateway = processes.gateway;
    this.worker = processes.worker;
    this.screen = screen;
  }

  async write(): Promise<void> {
    await this.screen.say(this.asked);
  }

  /** A further message of the same person. */
  async writeMore(text: string): Promise<void> {
    await this.screen.say(text);
  }

  /** Resolves when the model has been asked. */
  async isAsked(): Promise<void> {
    await this.world.model.waitForRequest((request) => openQuestions(request).includes(this.asked), patienceMs);
  }

  timesAsked(): number {
    return this.world.model.requests.filter((request) => openQuestions(request).includes(this.asked)).length;
  }

  /** What the model was told of a call, one text per request. */
  resultsOf(callId: string): readonly string[] {
    const requests = this.world.model.requests.filter(({ messages }) => JSON.stringify(messages).includes(this.asked));
    return requests.flatMap(({ messages, toolResults }) =>
      messages.some(({ tool_call_id }) => tool_call_id === callId) ? toolResults : [],
    );
  }

  async isRecorded(): Promise<boolean> {
    return (await this.world.fleet.backlog()).waitingEvents > 0;
  }

  /** Resolves when everything recorded is answered, sent or not. */
  async isAnswered(): Promise<void> {
    const { fleet } = this.world;
    const isDone = async () => {
      const { waitingEvents, runningTurns } = await fleet.backlog();
      return waitingEvents + runningTurns === 0;
    };
    await waitFor(isDone, "the turn's commit", patienceMs);
  }

  /** Resolves when the id of the preview of the running turn is stored. */
  async previewIsStored(): Promise<void> {
    await waitFor(() => this.world.fleet.hasPreview(), "the preview's id", patienceMs);
  }

  /** Resolves when so many messages with these words stand there. */
  async isShown(words: string, times = 1): Promise<void> {
    await this.#sees(() => this.timesShown(words) >= times, `${times} messages with ${words}`);
  }

  /** Resolves when these words stand there, in a draft or in a message. */
  async isGlanced(words: string): Promise<void> {
    await this.#sees(() => this.screen.glance().includes(words), words);
  }

  /** Resolves when nothing is to be delivered any more. */
  async isDelivered(): Promise<void> {
    await this.world.fleet.quiet(patienceMs);
  }

  timesShown(words: string): number {
    return this.screen.texts().filter((text) => text.includes(words)).length;
  }

  async #sees(look: () => boolean, what: string): Promise<void> {
    await waitFor(look, what, patienceMs).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.screen.texts().join("\n---\n")}\n${this.world.fleet.output}`);
    });
  }
}
