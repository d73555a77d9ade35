import type { Shown } from "./bad-input-coverage.ts";

/** One row of the threat model's tables B (webhooks, HTTP) and C (console, operation): its tests, or why there are none. */
export const httpCoverage: Readonly<Record<string, readonly Shown[] | string>> = {
  B01: [
    ["house", "B01 no signature"],
    ["house", "B01 an upper-case signature"],
    ["verify", "proves nothing when it is truncated"],
    ["webhook", "says the same to everything unproven"],
    ["slackHttp", "answers 401 to a signature with another secret"],
    ["whatsapp", "answers 401 to a cut signature"],
  ],
  B02: [
    ["house", "B02 a route without a secret"],
    ["house", "B02 a secret of stars"],
    ["house", "B02 a secret of five letters"],
    ["webhook", 'does not start with the secret "short"'],
  ],
  B03: [
    ["house", "B03 a time 301 s ago"],
    ["house", "B03 milliseconds for seconds"],
    ["verify", "holds for five minutes, both ways"],
    ["slackHttp", "answers 401 to six minutes old"],
    ["whatsapp", "does not believe the time 9007199254740993"],
  ],
  B04: [
    ["webhooks", "knows a replay, also after a restart"],
    ["whatsapp", "gives an exact replay the same event id"],
  ],
  B05: [
    ["webhook", "knows a replay, also under another spelling of the signature"],
    ["identify", "does not depend on how the signature was written"],
  ],
  B06: [["webhook", "is refused only after it is proven: broken, without id, too large"]],
  B07: [["webhook", "does not take another route's event for its own"]],
  B08: [
    ["house", "B08 nothing that could tell a replay"],
    ["identify", "is a new event each time if the route allows that"],
  ],
  B09: [
    ["house", "B09 a forwarded loopback address instead of a token"],
    ["house", "B09 a host name in a forwarded header does not help"],
    ["slow", "are not told apart by what anybody may write"],
  ],
  B10: [
    ["house", "B10 a body without an end"],
    ["limits", "in chunks without end is refused at the limit"],
    ["limits", "by what it announces is refused before it sends"],
  ],
  B11: [
    ["house", "B11 sixty senders that take their time"],
    ["limits", "finds at most 64 like it before it is proven"],
    ["slow", "on one route shut nobody out on another"],
    ["slow", "lose their place when the body takes too long"],
  ],
  B12: [
    ["house", "B12 a thousand addresses leave nothing behind"],
    ["limits", "leaves nothing behind, whatever path, query or host it names"],
  ],
  B13: [
    ["house", "B13 an escaped way up"],
    ["routeTable", "is not found as /api/%2e%2e/webhooks/ci"],
  ],
  B14: [["house", "B14 an event signed with another route's secret"]],
  B15: [
    ["house", "B15 a key that would change all objects"],
    ["parseBody", "is never decompressed"],
    ["parseBody", "pollutes nothing"],
    ["whatsapp", "answers 400 to very deep JSON"],
  ],
  B16: [
    ["house", "B16 both secrets open"],
    ["house", "B16 a secret that was taken back"],
    ["verify", "is accepted beside the next one, and refused once it is gone"],
  ],
  B17: [
    ["house", "B17 the right token in lower case"],
    ["attempts", "lets sixty wrong proofs a minute pass"],
    ["rate", "passes what is proven while a thousand wrong secrets come in"],
  ],
  B18: "a measurement of nanoseconds would depend on the machine: both sides are hashed and compared in constant time",
  B19: [["house", "B19 a Telegram update without the secret"]],
  B20: [
    ["whatsapp", "refuses the question with a long challenge"],
    ["whatsapp", "refuses the question with a wrong verify token"],
    ["slackHttp", "answers the question whether it is ours, only when it is signed"],
  ],
  B21: [
    ["house", "B21 a callback to a local file"],
    ["linkLocal", "that is link-local is refused unless the route allows it"],
    ["callback", "does not follow redirects"],
  ],

  C01: [["configFile", "lists every problem at once"]],
  C02: [
    ["house", "C02 a rebound host name"],
    ["house", "C02 a page of another origin"],
    ["access", 'is refused as "null"'],
    ["routes", "with a token are closed to rebound names and foreign pages"],
    ["slow", "and quick ones alike may name one host only"],
  ],
  C03: [
    ["consoleFiles", "loads nothing from elsewhere"],
    ["consoleToken", "is not replaced by a link as long as the gateway knows it"],
  ],
  C04: [
    ["house", "C04 an empty token"],
    ["access", 'is refused as "Bearer undefined"'],
    ["connections", "is for whoever holds the token only"],
  ],
  C05: [["house", "C05 a role that one gives oneself"]],
  C06: "the token changes only with a restart, which closes every connection",
  C07: [["limits", "arrives in time, or is ended"]],
  C08: [
    ["house", "C08 the token as a cookie"],
    ["house", "C08 a form of another page"],
  ],
  C09: [["house", "C09 a part of the API that is not there"]],
  C10: [
    ["house", "C10 a conversation of markup"],
    ["consoleSeen", "lets nothing in an answer run, fetch, or look like a part of the page"],
    ["consoleFiles", "never puts text in as markup"],
    ["consoleServed", "are served with their type, and may run and call only what is ours"],
  ],
  C11: [
    ["lifecycle", "is the only one on its data folder"],
    ["fleet", "sends nothing from a gateway that has slept through its lease"],
  ],
  C12: "no command takes the number of a process",
};
