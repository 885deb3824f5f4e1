// One slice of work per turn of the event loop, over all documents of the process: however many are in flight, I/O waits
// for one slice only. (Node runs all pending immediates in one go, so an immediate each would add up.)
const waiting: (() => void)[] = [];

const grantTurn = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(grantTurn);
};

/**
 * Waits until pending I/O had its turn and no other slice runs.
 * @throws the signal's reason when it is aborted
 */
export async function takeTurn(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(grantTurn);
  });
  signal.throwIfAborted();
}

/** How long a slice may be, in milliseconds, before it gives way; the step that it is at comes on top. */
const sliceMs = 10;

/**
 * Runs an engine's steps to their end without holding up the event loop: whenever a slice is used up it gives way.
 * Steps are bounded by the engine (a sentence, a window), so a block is never longer than a slice and a step.
 * @throws the signal's reason, within a slice after it is aborted
 */
export async function inSlices<T>(steps: Generator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    await takeTurn(signal);
    const end = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
  }
}
