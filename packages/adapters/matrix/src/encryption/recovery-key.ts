import { GatewayError } from "@talaria/protocol";
import { decodeRecoveryKey } from "matrix-js-sdk/lib/crypto-api/recovery-key.js";

/** The 32 bytes of a recovery key. Throws `invalid_request` for one that was mistyped. */
export function recoveryKeyBytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(decodeRecoveryKey(text));
  } catch (error) {
    throw new GatewayError("recoveryKey is mistyped", { code: "invalid_request", cause: error });
  }
}
