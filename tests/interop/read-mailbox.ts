import { type SeenMail, seenMail } from "@talaria/adapter-email/emulator";
import { ImapFlow } from "imapflow";
import { waitFor } from "../support/wait-for.ts";

/** The mails of somebody's inbox, once there are `count`, over IMAP as their own program reads them. */
export async function readMailbox(
  port: number,
  user: string,
  password: string,
  count: number,
): Promise<readonly SeenMail[]> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port,
    secure: false,
    auth: { user, pass: password },
    logger: false,
  });
  await client.connect();
  try {
    await client.mailboxOpen("INBOX");
    const sources = await waitFor(async () => {
      const found = (await client.fetchAll("1:*", { source: true })) ?? [];
      return found.length >= count ? found : undefined;
    }, `${count} mail(s) of ${user}`);
    return sources.map(({ source }) => seenMail({ from: "", to: [user], raw: source?.toString("latin1") ?? "" }));
  } finally {
    client.close();
  }
}
