import { randomBytes } from 'node:crypto';
import { describeFaults } from '../support/fault-matrix';
import { sharedS3 } from '../support/servers';

const bucket = `faults-${randomBytes(6).toString('hex')}`;

describeFaults(() => ({ s3: { ...sharedS3(), bucket } }), 's3');
