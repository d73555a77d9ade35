/** Who is this close to the end, in pixels, sees it move on. */
const nearEndPx = 60;
/** How many heights of the view are drawn beyond it, above and below. */
const reserve = 1.5;

/**
 * Keeps a view that scrolls at its end while what it shows grows. Who reads further up is left there, whatever is drawn above: `shown` has more
 * lines, `earlier()`, `later()` and `toEnd()`, and `ask()` brings still earlier ones.
 */
export function createFollowEnd(shown, ask) {
  let view;
  let list;
  let isFollowing = true;
  let placed = 0;
  /** A line that stays where it is seen. */
  let anchor;
  let frame;

  const below = () => view.scrollHeight - view.scrollTop - view.clientHeight;

  /** Whoever has scrolled up since the end was placed reads there; what has grown below alone says nothing. */
  function judge() {
    if (below() < nearEndPx) isFollowing = true;
    else if (view.scrollTop < placed - 1) isFollowing = false;
    placed = view.scrollTop;
  }

  /** After what is shown has changed. */
  function settle() {
    if (view === undefined) return;
    judge();
    if (anchor?.line.isConnected) view.scrollTop += anchor.line.getBoundingClientRect().top - anchor.top;
    anchor = undefined;
    if (isFollowing) view.scrollTop = view.scrollHeight;
    placed = view.scrollTop;
    if (isFollowing) shown.toEnd();
    fill();
  }

  /** One piece a frame: each takes its time, and all of them together would keep the page from answering. */
  function fill() {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      addPiece();
    });
  }

  function addPiece() {
    const enough = view.clientHeight * reserve;
    if (view.scrollTop < enough) {
      holdPlace();
      if (shown.earlier()) return;
      anchor = undefined;
      ask();
    } else if (!isFollowing && below() < enough) {
      holdPlace();
      if (!shown.later()) anchor = undefined;
    }
  }

  /** Remembers the first line that is seen. It is measured again once lines have been drawn. */
  function holdPlace() {
    const { top } = view.getBoundingClientRect();
    const line = [...list.children].find((each) => each.getBoundingClientRect().bottom > top);
    if (line !== undefined && !isFollowing) anchor = { line, top: line.getBoundingClientRect().top };
  }

  const sizes = new ResizeObserver(settle);

  return {
    settle,
    holdPlace,
    /** For the view's event `scroll`. */
    scrolled() {
      judge();
      fill();
    },
    toEnd() {
      shown.toEnd();
      isFollowing = true;
      anchor = undefined;
      view.scrollTop = view.scrollHeight;
      placed = view.scrollTop;
    },
    /** Follows what `content` shows in `shownIn`; the answer ends that. */
    begin(shownIn, content) {
      view = shownIn;
      list = content;
      sizes.observe(content);
      // What stands above or below it may take room from it.
      sizes.observe(view);
      return () => {
        sizes.disconnect();
        cancelAnimationFrame(frame);
      };
    },
  };
}
