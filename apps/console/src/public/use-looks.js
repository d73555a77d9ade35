import { useRef, useState } from "preact/hooks";

/**
 * What an opened part shows, read again every `everyMs` while it is open. Gives the last `answer` of `read()`, the `problem` of the last try,
 * `toggled` for the part's event of that name, and `look()` to read at once.
 */
export function useLooks(read, everyMs) {
  const [seen, setSeen] = useState({ answer: undefined, problem: "" });
  const timer = useRef();

  async function look() {
    try {
      const answer = await read();
      setSeen({ answer, problem: "" });
    } catch (error) {
      setSeen(({ answer }) => ({ answer, problem: `Not read: ${error.message}` }));
    }
  }

  function toggled({ currentTarget }) {
    clearInterval(timer.current);
    if (!currentTarget.open) return;
    void look();
    timer.current = setInterval(() => void look(), everyMs);
  }

  return { ...seen, toggled, look };
}
