import { describeShapes } from '../../support/shape-matrix';

describeShapes(() => ({ storage: 'builtin' }));
