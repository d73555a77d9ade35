import type { Clock, StreamFrame, TurnId } from "@talaria/protocol";

/** Turns remembered. The oldest is forgotten first; its next frame asks again. */
const maxTurns = 2_000;
/** Frames of one turn kept until access is known. The stored partial reply replaces the rest. */
const maxWaiting = 64;
/** How long access holds before it is checked again. */
const askAgainMs = 3_000;

interface Known {
  /** Undefined until access is known. */
  isOpen: boolean | undefined;
  askedAt: number;
  readonly waiting: StreamFrame[];
}

export interface FrameGateDeps {
  /** Whether the readers of this turn's reply may still see it. */
  readonly mayAnswer: (turnId: TurnId) => Promise<boolean>;
  readonly pass: (frame: StreamFrame) => void;
  /** The reply of this turn was shown and must be removed. */
  readonly shut: (turnId: TurnId) => void;
  readonly clock: Clock;
}

/** Passes on frames of a growing reply while its readers may see it. When access can't be checked, nothing is shown. */
export class FrameGate {
  readonly #deps: FrameGateDeps;
  readonly #turns = new Map<TurnId, Known>();

  constructor(deps: FrameGateDeps) {
    this.#deps = deps;
  }

  frame(frame: StreamFrame): void {
    const { turnId } = frame;
    const known = this.#turns.get(turnId) ?? this.#add(turnId);
    if (known.isOpen === undefined) {
      if (known.waiting.length < maxWaiting) known.waiting.push(frame);
      return;
    }
    if (!known.isOpen) return;
    this.#deps.pass(frame);
    if (this.#deps.clock.elapsed() - known.askedAt >= askAgainMs) void this.#ask(turnId, known);
  }

  #add(turnId: TurnId): Known {
    const known: Known = { isOpen: undefined, askedAt: 0, waiting: [] };
    this.#turns.set(turnId, known);
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > maxTurns && oldest !== undefined) this.#turns.delete(oldest);
    void this.#ask(turnId, known);
    return known;
  }

  /** Never rejects. */
  async #ask(turnId: TurnId, known: Known): Promise<void> {
    known.askedAt = this.#deps.clock.elapsed();
    const was = known.isOpen;
    const isOpen = await this.#deps.mayAnswer(turnId).catch(() => was ?? false);
    known.isOpen = isOpen;
    if (isOpen) for (const frame of known.waiting) this.#deps.pass(frame);
    else if (was === true) this.#deps.shut(turnId);
    known.waiting.length = 0;
  }
}
