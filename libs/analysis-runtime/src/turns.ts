// One slice of time per turn of the event loop, over all documents of the process: however many are in flight, I/O waits for
// one slice only. (Node runs all pending immediates in one go, so an immediate each would add up.) Short documents share a
// slice: a turn of the loop for each would cost more than most of them do.
const waiting: (() => void)[] = [];
let isGranting = false;

/** How long a slice may be, in milliseconds, before it gives way; the step that it is at comes on top. */
const sliceMs = 10;

const grantTurns = async (): Promise<void> => {
  const end = performance.now() + sliceMs;
  do {
    waiting.shift()?.();
    await afterResumed();
  } while (waiting.length > 0 && performance.now() < end);
  isGranting = waiting.length > 0;
  if (isGranting) setImmediate(grantTurns);
};

/** Whoever was granted a turn goes on within two microtasks: his own `await`, and that of his caller. */
async function afterResumed(): Promise<void> {
  for (let microtasks = 0; microtasks < 4; microtasks++) await Promise.resolve();
}

/**
 * Waits until pending I/O had its turn and no other slice runs.
 * @throws the signal's reason when it is aborted
 */
export async function takeTurn(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (isGranting) return;
    isGranting = true;
    setImmediate(grantTurns);
  });
  signal.throwIfAborted();
}

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
