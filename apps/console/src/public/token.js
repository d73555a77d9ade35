const key = "talaria-token";

/** A token of a link, for when the stored one is refused: a link must not sign anybody out. */
let offered;

/** The token of an earlier visit, or of the address, which is cleaned at once. */
export function takeToken() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const given = hash.get("token");
  if (given !== null) {
    hash.delete("token");
    history.replaceState(null, "", `${location.pathname}#${hash}`);
    if (localStorage.getItem(key) === null) keepToken(given);
    else offered = given;
  }
  return localStorage.getItem(key) ?? undefined;
}

export function keepToken(token) {
  if (token !== "") localStorage.setItem(key, token);
}

/** The gateway has refused the stored token. True: the one of a link takes its place. */
export function replaceToken() {
  const refused = localStorage.getItem(key);
  localStorage.removeItem(key);
  const next = offered;
  offered = undefined;
  if (next === undefined || next === refused) return false;
  keepToken(next);
  return next !== "";
}
