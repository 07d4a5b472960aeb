import { describeFaults } from '../../support/fault-matrix';

describeFaults(() => ({ storage: 'builtin' }), 'builtin');
