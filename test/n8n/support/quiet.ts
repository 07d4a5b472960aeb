import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n also logs every failed node, but the tests check the run itself.
process.env['N8N_LOG_LEVEL'] = 'silent';
// Nothing is written into the data folder of an n8n that belongs to this user.
process.env['N8N_USER_FOLDER'] = join(tmpdir(), `media-service-n8n-${randomUUID()}`);
