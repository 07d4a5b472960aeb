import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { createTempDir } from './temp-dir';
import type { TempDir } from './temp-dir';
import { startTemporalServer } from './temporal-server';
import type { TemporalServer } from './temporal-server';
import { openUploadFixture } from './upload-fixture';
import type { UploadFixture } from './upload-fixture';

/** A fixture without workers, on a Temporal server that the tests of a file may kill. */
export interface OwnTemporal {
  readonly fixture: UploadFixture;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on its port and database file. */
  restart(): Promise<void>;
}

/** For all tests of a file or of a `describe`. */
export function useOwnTemporal(): OwnTemporal {
  let data: TempDir;
  let server: TemporalServer;
  let fixture: UploadFixture;
  const dbFile = (): string => join(data.path, 'temporal.db');
  beforeAll(async () => {
    data = await createTempDir('temporal');
    server = await startTemporalServer({ dbFile: dbFile() });
    fixture = await openUploadFixture({ temporal: { address: server.address, namespace: server.namespace } });
  });
  afterAll(async () => {
    await fixture.close();
    await server.stop();
    await data.remove();
  });
  return {
    get fixture() {
      return fixture;
    },
    kill: () => server.kill('SIGKILL'),
    async restart() {
      server = await startTemporalServer({ port: server.port, dbFile: dbFile() });
    },
  };
}
