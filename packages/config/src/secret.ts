import { inspect } from "node:util";

const shown = "[secret]";

/** A value that prints as `[secret]` everywhere except where someone asks for it by name. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toJSON(): string {
    return shown;
  }

  toString(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
