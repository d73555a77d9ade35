/** An instant as people read it in a list: the time today, else the day. */
export function timeText(instant, now = new Date()) {
  const at = new Date(instant);
  if (at.toDateString() === now.toDateString())
    return at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const isThisYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString([], { day: "numeric", month: "short", ...(isThisYear ? {} : { year: "numeric" }) });
}
