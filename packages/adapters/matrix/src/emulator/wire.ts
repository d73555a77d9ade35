/** JSON as it came. */
export type Json = Record<string, unknown>;

/** An event as the server keeps it. */
export interface StoredEvent {
  readonly event_id: string;
  readonly room_id: string;
  readonly type: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  content: Json;
  readonly state_key?: string;
  readonly redacts?: string;
  unsigned: Json;
  /** By which device and with which number it was sent. */
  readonly sentBy?: { readonly deviceId: string; readonly transaction: string };
}

/** A failed call, as homeservers answer it. */
export class MatrixError extends Error {
  readonly status: number;
  readonly body: Json;

  constructor(status: number, errcode: string, more: Json = {}) {
    super(errcode);
    this.status = status;
    this.body = { errcode, error: `stub: ${errcode}`, ...more };
  }
}

export function notFound(): MatrixError {
  return new MatrixError(404, "M_NOT_FOUND");
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
