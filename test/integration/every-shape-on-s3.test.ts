import { randomBytes } from 'node:crypto';
import { sharedS3 } from '../support/servers';
import { describeShapes } from '../support/shape-matrix';

const bucket = `shapes-${randomBytes(6).toString('hex')}`;

describeShapes(() => ({ s3: { ...sharedS3(), bucket } }), 's3');
