import type { FromChild, ToChild } from "./start/messages.ts";

/**
 * A process that its supervisor started early waits here for what it needs, and prepares the installation when it is
 * asked to. Any other process goes on at once.
 */
export async function untilBegin(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void> {
  if (process.env.TALARIA_WAITS !== "yes" || process.send === undefined) return;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const receive = (message: ToChild) => {
    if (message.type === "prepare") void prepare(options);
    else if (message.type === "stop") process.exit(0);
    else if (message.type === "begin") {
      Object.assign(process.env, message.env);
      begin();
    }
  };
  const leave = () => process.exit(1);
  process.on("message", receive);
  process.on("disconnect", leave);
  await begun;
  process.off("message", receive);
  process.off("disconnect", leave);
}

async function prepare(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void> {
  try {
    const { prepareInstallation } = await import("./start/prepare.ts");
    const plan = await prepareInstallation(options, (line) => tell({ type: "progress", line }));
    tell({ type: "prepared", plan });
  } catch (error) {
    tell({ type: "failed", line: error instanceof Error ? error.message : String(error) });
  }
}

function tell(message: FromChild): void {
  process.send?.(message, () => undefined);
}
