/** How this run of the process began, as its launcher knows. */
export interface Launch {
  /** A name of this run that no other one has: letters and digits, at most 32. */
  readonly run: string;
  /** There when the run before this one ended by its own fault; an end from outside is none. */
  readonly ownExit?: OwnExitNotice | undefined;
}

export interface OwnExitNotice {
  readonly run: string;
  /** A signal or an exit code. */
  readonly reason: string;
  /** How long it lived, in milliseconds. */
  readonly ranMs: number;
}

/** Of a process that nobody launched: no exit is ever laid to its account. */
export const unlaunched: Launch = { run: 'unlaunched' };
