import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePorts, requireFreePorts } from '../stack/run/ports.mjs';
import { portSettings } from '../stack/settings.mjs';

describe('ports', () => {
  it('that are taken are reported together, each with its holder and the setting that moves it', async () => {
    const holders = [createServer().listen(0, '127.0.0.1'), createServer().listen(0)];
    await Promise.all(holders.map((holder) => once(holder, 'listening')));
    const [http, kafka] = holders.map((holder) => (holder.address() as AddressInfo).port);
    const free = await freePorts(portSettings.length);
    const ports = {
      ...Object.fromEntries(portSettings.map(({ key }, index) => [key, free[index] ?? 0])),
      http: http ?? 0,
      kafka: kafka ?? 0,
    };
    const fault = await requireFreePorts(ports).catch((error: Error) => error.message);
    expect(fault).toMatch(
      new RegExp(`${http}, for the HTTP API, is taken by pid ${process.pid} .*: set ANABRANCH_HTTP_PORT`),
    );
    expect(fault).toMatch(
      new RegExp(`${kafka}, for Kafka, is taken by pid ${process.pid} .*: set ANABRANCH_KAFKA_PORT`),
    );
    expect(fault).not.toContain('ANABRANCH_POSTGRES_PORT');
    for (const holder of holders) holder.close();
  });

  it('that are free are no fault', async () => {
    const free = await freePorts(portSettings.length);
    expect(new Set(free).size).toBe(portSettings.length);
    await expect(
      requireFreePorts(Object.fromEntries(portSettings.map(({ key }, index) => [key, free[index] ?? 0]))),
    ).resolves.toBeUndefined();
  });
});
