/** One check's answer. `reasons` says more than one thing at once. */
export interface HealthState {
  ready: boolean;
  reason?: string;
  reasons?: readonly string[];
}

/** Must be quick and must not do I/O: it reports what its owner already knows. */
export type HealthCheck = () => HealthState;

/** Where a service says what must hold before it is ready. */
export interface HealthRegistration {
  /** `live: true` = while this check fails, the process should be restarted: for checks of progress only. */
  register(name: string, check: HealthCheck, options?: { live?: boolean }): void;
}

/** Something that is not as it should be. */
export interface HealthFault {
  service: string;
  check: string;
  reason: string;
}

interface RegisteredCheck {
  service: string;
  name: string;
  live: boolean;
  check: HealthCheck;
}

/** The checks of all services in this process. */
export class HealthChecks {
  private readonly checks: RegisteredCheck[] = [];

  /** Registers one service's checks. */
  of(service: string): HealthRegistration {
    return {
      register: (name, check, options) => {
        this.checks.push({ service, name, check, live: options?.live ?? false });
      },
    };
  }

  /** What is not ready now; empty = ready. */
  readinessFaults(): HealthFault[] {
    return this.checks.flatMap(faultsOf);
  }

  /** What asks for a restart now; empty = alive. */
  livenessFaults(): HealthFault[] {
    return this.checks.filter(({ live }) => live).flatMap(faultsOf);
  }
}

function faultsOf({ service, name, check }: RegisteredCheck): HealthFault[] {
  const state = ask(check);
  if (state.ready) return [];
  const reasons = state.reasons?.length ? state.reasons : [state.reason ?? 'not ready'];
  return reasons.map((reason) => ({ service, check: name, reason }));
}

function ask(check: HealthCheck): HealthState {
  try {
    return check();
  } catch (error) {
    return { ready: false, reason: `the check failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
