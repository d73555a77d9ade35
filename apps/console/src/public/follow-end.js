/** Who is this close to the end, in pixels, sees it move on. */
const nearEndPx = 60;

/** Keeps a view that scrolls at its end while what it shows grows. Who reads further up is left there. */
export function createFollowEnd() {
  let view;
  let isFollowing = true;
  let placed = 0;

  const isNearEnd = () => view.scrollHeight - view.scrollTop - view.clientHeight < nearEndPx;

  /** After what is shown has changed: a person may have scrolled up since the end was placed. */
  function settle() {
    if (view === undefined) return;
    if (view.scrollTop < placed - 1 && !isNearEnd()) isFollowing = false;
    if (isFollowing) view.scrollTop = view.scrollHeight;
    placed = view.scrollTop;
  }

  const sizes = new ResizeObserver(settle);

  return {
    settle,
    /** For the view's event `scroll`. */
    scrolled() {
      isFollowing = isNearEnd();
      placed = view.scrollTop;
    },
    toEnd() {
      isFollowing = true;
      settle();
    },
    /** Follows what `content` shows in `shownIn`; the answer ends that. */
    begin(shownIn, content) {
      view = shownIn;
      sizes.observe(content);
      return () => sizes.disconnect();
    },
  };
}
