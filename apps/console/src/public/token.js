const key = "talaria-token";

/** The token from the address, which is cleaned at once, or from an earlier visit. */
export function takeToken() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const given = hash.get("token");
  if (given !== null) {
    keepToken(given);
    hash.delete("token");
    history.replaceState(null, "", `${location.pathname}#${hash}`);
  }
  return localStorage.getItem(key) ?? undefined;
}

export function keepToken(token) {
  if (token !== "") localStorage.setItem(key, token);
}

export function forgetToken() {
  localStorage.removeItem(key);
}
