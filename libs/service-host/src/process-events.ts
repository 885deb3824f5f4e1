/** What the process is told from outside. */
export interface ProcessEvents {
  /** Asked to stop in order. */
  onStop(reason: string): void;
  /** When it stops, it will not come back: said before the stop, by SIGUSR2. */
  onRemoval(): void;
  /** Asked a second time: stop at once. */
  onImpatience(reason: string): void;
  /** An error that nobody caught: the process's state is unknown. */
  onCrash(error: unknown): void;
  /** A warning of Node, which would otherwise be no JSON line. */
  onWarning(warning: Error): void;
}

/**
 * The host owns the signals, not Nest: Nest would run `onModuleDestroy` before the transport closes.
 * @param parentPipe a launcher holds standard input open. When that closes the launcher is gone, so the process stops.
 * Ctrl-C goes to the whole foreground group at once; the launcher stops its children in order, so they ignore it.
 */
export function watchProcess(events: ProcessEvents, { parentPipe }: { parentPipe: boolean }): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals === 1) events.onStop(signal);
    else events.onImpatience(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGUSR2', () => events.onRemoval());
  process.on('SIGINT', parentPipe ? () => undefined : onSignal);
  process.on('uncaughtException', (error) => events.onCrash(error));
  process.on('unhandledRejection', (error) => events.onCrash(error));
  process.removeAllListeners('warning').on('warning', (warning) => events.onWarning(warning));
  // Who is gone reads nothing: a lib that prints then must not end the drain.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  if (parentPipe) watchParent(events);
}

function watchParent(events: ProcessEvents): void {
  const onGone = () => events.onStop('the launcher is gone');
  process.stdin.once('end', onGone);
  process.stdin.once('error', onGone);
  process.stdin.resume();
}
