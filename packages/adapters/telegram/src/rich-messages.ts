import { isGatewayError, type Log } from "@talaria/protocol";
import type { InputRichMessage } from "grammy/types";
import { isReadFromRight, toRichBlocks } from "./rich-blocks.ts";

/** After so many refusals in a row we no longer offer the server rich messages, until the next start. */
const maxRefusals = 3;

/**
 * Whether a text goes out as a rich message: where it has tables, headings or formulas and the server knows them. The limit stays
 * that of an ordinary message: what a server refuses must fit into one that it takes, and only the answer to a call
 * tells what a server knows.
 */
export class RichMessages {
  readonly #log: Log;
  #isOffered: boolean;
  #refusals = 0;

  constructor(isOffered: boolean, log: Log) {
    this.#isOffered = isOffered;
    this.#log = log;
  }

  /** Calls one of the two; the other after it only when Telegram refused the rich message, and so posted nothing. */
  async prefer<Rich, Text>(
    markdown: string,
    asRich: (message: InputRichMessage) => Promise<Rich>,
    asText: () => Promise<Text>,
  ): Promise<Rich | Text> {
    const blocks = this.#isOffered ? toRichBlocks(markdown) : undefined;
    if (blocks === undefined) return asText();
    try {
      const result = await asRich(isReadFromRight(blocks) ? { blocks, is_rtl: true } : { blocks });
      this.#refusals = 0;
      return result;
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
      return asText();
    }
  }

  #isRefusal(error: unknown): boolean {
    if (isGatewayError(error, "unsupported")) {
      this.#isOffered = false;
      this.#log.info({}, "the server knows no rich messages; tables, headings and formulas go out as formatted text");
      return true;
    }
    // Reasons that the same text without blocks would meet too are not about the blocks.
    const isAboutBlocks = isGatewayError(error, "too_large") || isGatewayError(error, "invalid_request");
    if (!isAboutBlocks || error.details.reason === "not-modified") return false;
    this.#refusals += 1;
    this.#log.warn({ error, refusals: this.#refusals }, "a rich message was refused and goes out as formatted text");
    if (this.#refusals >= maxRefusals) this.#isOffered = false;
    return true;
  }
}
