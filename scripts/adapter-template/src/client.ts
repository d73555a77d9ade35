import { GatewayError } from "@talaria/protocol";
import type { LoopbackConfig } from "./config.ts";

/** What the platform sends us, as far as we read it. */
export interface LoopbackUpdate {
  readonly updateId: string;
  readonly conversationId: string;
  readonly messageId: string;
  readonly userId: string;
  readonly userName: string;
  readonly text: string;
  readonly sentAtMs: number;
}

/** The few calls of the platform that we use. All of them throw only GatewayError. */
export interface LoopbackClient {
  /** Checks the token. The answer is the id of our own account. */
  identify(signal: AbortSignal): Promise<string>;
  /** Waits for updates that are not acknowledged, oldest first. */
  receive(signal: AbortSignal): Promise<readonly LoopbackUpdate[]>;
  /** The platform will not send this update and those before it again. */
  acknowledge(updateId: string, signal: AbortSignal): Promise<void>;
  /** Posts one message. The answer is its id. */
  post(conversationId: string, text: string, signal: AbortSignal): Promise<string>;
}

export function createLoopbackClient(_config: LoopbackConfig): LoopbackClient {
  throw new GatewayError("client.ts is not written yet", { code: "unsupported" });
}
