import { testAddress } from '@anabranch/test-support';

/** A broker of this spec alone, which may be taken down. It ends with the test run. */
export class OwnBroker {
  private constructor(
    private readonly url: string,
    /** `host:port`, the same after a restart. */
    readonly address: string,
  ) {}

  static async start(): Promise<OwnBroker> {
    const brokers = testAddress('brokers');
    const { name, address } = (await post(`${brokers}/`)) as { name: string; address: string };
    return new OwnBroker(`${brokers}/${name}`, address);
  }

  /** Resolves when its process has ended. */
  async stop(): Promise<void> {
    await post(`${this.url}/stop`);
  }

  /** Resolves when it answers again. */
  async resume(): Promise<void> {
    await post(`${this.url}/start`);
  }
}

async function post(url: string): Promise<unknown> {
  const response = await fetch(url, { method: 'POST' });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return response.json();
}
