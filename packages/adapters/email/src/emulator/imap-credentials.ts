/** Who a client says it is with AUTHENTICATE, in Base64; undefined for a mechanism that is not offered. */
export function credentialsOf(
  mechanism: string,
  initial: string,
): { readonly user: string; readonly password: string } | undefined {
  const said = Buffer.from(initial, "base64").toString("utf8");
  if (mechanism.toUpperCase() === "PLAIN") {
    const [, user = "", password = ""] = said.split("\0");
    return { user, password };
  }
  if (mechanism.toUpperCase() !== "XOAUTH2") return undefined;
  const facts = new Map(said.split("\u0001").map((fact) => [fact.split("=", 1)[0], fact.slice(fact.indexOf("=") + 1)]));
  return { user: facts.get("user") ?? "", password: (facts.get("auth") ?? "").replace(/^Bearer /, "") };
}
