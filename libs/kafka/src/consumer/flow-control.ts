import type { BrokerPort } from '../broker-port.js';
import type { PartitionEpoch } from './partition-epoch.js';

/** Pauses and resumes the fetching of partitions; asks the client only for changes. */
export class FlowControl {
  private readonly paused = new Set<string>();

  constructor(private readonly broker: Pick<BrokerPort, 'pause' | 'resume'>) {}

  get pausedCount(): number {
    return this.paused.size;
  }

  set(epoch: PartitionEpoch, shouldPause: boolean): void {
    if (this.paused.has(epoch.lane) !== shouldPause) this.apply(epoch, shouldPause);
  }

  /**
   * Says it again after an assignment: a pause outlives the loss of a partition in the client, and all pauses are
   * forgotten when the client restarts by itself.
   */
  apply(epoch: PartitionEpoch, shouldPause: boolean): void {
    if (shouldPause) {
      this.paused.add(epoch.lane);
      this.broker.pause([epoch]);
    } else {
      this.paused.delete(epoch.lane);
      this.broker.resume([epoch]);
    }
  }

  forget(epoch: PartitionEpoch): void {
    this.paused.delete(epoch.lane);
  }
}
