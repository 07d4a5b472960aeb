import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { n8nClock, pause } from '../../../n8n/n8n-clock';
import { HASTE } from '../../support/hasty-clock';

// n8n also logs every failed node, but the tests check the run itself.
process.env['N8N_LOG_LEVEL'] = 'silent';
// Nothing is written into the data folder of an n8n that belongs to this user.
process.env['N8N_USER_FOLDER'] = join(tmpdir(), `media-service-n8n-${randomUUID()}`);
// The nodes' pauses between tries and polls. What an answer may take stays as it is.
n8nClock.sleep = (ms, signal) => pause(ms / HASTE, signal);
