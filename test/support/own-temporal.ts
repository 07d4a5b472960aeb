import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { createTempDir } from './temp-dir';
import { startTemporalServer } from './temporal-server';
import { openUploadFixture } from './upload-fixture';
import type { FixtureOptions, UploadFixture } from './upload-fixture';

/** A Temporal server that a test may kill. */
export interface OwnServer {
  readonly address: string;
  readonly namespace: string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on its port and database file. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openOwnServer(): Promise<OwnServer> {
  const data = await createTempDir('temporal');
  const dbFile = join(data.path, 'temporal.db');
  let server = await startTemporalServer({ dbFile });
  const { address, namespace, port } = server;
  return {
    address,
    namespace,
    kill: () => server.kill('SIGKILL'),
    async restart() {
      server = await startTemporalServer({ port, dbFile });
    },
    async close() {
      await server.stop();
      await data.remove();
    },
  };
}

/** A fixture without workers, on a server of its own. */
export interface OwnTemporal extends Pick<OwnServer, 'kill' | 'restart'> {
  readonly fixture: UploadFixture;
}

/** For all tests of a file or of a `describe`. */
export function useOwnTemporal(options: Omit<FixtureOptions, 'temporal'> = {}): OwnTemporal {
  let server: OwnServer;
  let fixture: UploadFixture;
  beforeAll(async () => {
    server = await openOwnServer();
    fixture = await openUploadFixture({ ...options, temporal: server });
  });
  afterAll(async () => {
    await fixture.close();
    await server.close();
  });
  return {
    get fixture() {
      return fixture;
    },
    kill: () => server.kill(),
    restart: () => server.restart(),
  };
}
