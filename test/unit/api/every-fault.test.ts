import { describeFaults, describeSample } from '../../support/fault-matrix';

describeSample();
describeFaults(() => ({}), 'builtin');
