/** One message for all processes that listen to a topic. */
export interface TopicPayload {
  readonly topic: string;
  readonly payload: string;
}

/** Carries opaque text between processes: lossy, in order per sender and topic. */
export interface SignalTransport {
  /** The longest payload, in bytes of UTF-8. */
  readonly maxPayloadBytes: number;
  /** The pause after each send, in which further signals gather. */
  readonly gatherMs: number;
  /** Sends them together, in this order. A rejection leaves open whether they arrived. */
  send(payloads: readonly TopicPayload[]): Promise<void>;
  /**
   * Resolves when the server will pass on what is sent from now on; after a lost connection it is resumed without
   * being asked. One subscription per topic.
   */
  subscribe(topic: string, receive: (payload: string) => void): Promise<void>;
  unsubscribe(topic: string): Promise<void>;
}
