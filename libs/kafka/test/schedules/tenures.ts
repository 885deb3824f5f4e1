import type { Breach, Owner } from '../harness/owner-audit.js';

/** A process that was told that a partition is its own. */
export interface Tenure {
  readonly owner: string;
  readonly partition: number;
  /** Milliseconds since the epoch, by the process's clock. */
  readonly from: number;
}

/** Which process owned which partition when, from what each was told about its assignments. */
export class Tenures {
  readonly breaches: Breach[] = [];
  /** One per assignment, in the order in which they were told. */
  private readonly byPartition = new Map<number, Tenure[]>();

  constructor(owners: readonly Owner[]) {
    for (const owner of owners) this.read(owner);
    for (const tenures of this.byPartition.values()) tenures.sort((a, b) => a.from - b.from);
  }

  /**
   * Who was told last that the partition is its own, and since when nobody else was. What an earlier owner does after that
   * must not count, also when it is told so again later: it was frozen, and then began anew.
   */
  at(partition: number, at: number): Tenure | undefined {
    const told = (this.byPartition.get(partition) ?? []).filter(({ from }) => from <= at);
    const last = told.at(-1);
    const other = told.findLastIndex(({ owner }) => owner !== last?.owner);
    return told[other + 1];
  }

  private read({ name: owner, lines }: Owner): void {
    let owned = new Set<number>();
    for (const line of lines) {
      if (line['msg'] === 'partitions were assigned') {
        const partitions = (line['partitions'] as string[]).map((lane) =>
          Number(lane.slice(lane.lastIndexOf('/') + 1)),
        );
        for (const partition of partitions) this.begin({ owner, partition, from: Number(line['at']) });
        owned = new Set(partitions);
      }
      if (line['msg'] !== 'started' || owned.has(Number(line['partition']))) continue;
      const what = `${owner}: ${String(line['documentId'])} at ${String(line['partition'])}/${String(line['offset'])}`;
      this.breaches.push({ promise: 'nothing starts of what is not owned', what });
    }
  }

  private begin(tenure: Tenure): void {
    const tenures = this.byPartition.get(tenure.partition) ?? [];
    this.byPartition.set(tenure.partition, tenures);
    tenures.push(tenure);
  }
}
