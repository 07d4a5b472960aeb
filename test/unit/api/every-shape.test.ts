import { describeExpectations, describeShapes } from '../../support/shape-matrix';

describeExpectations();
describeShapes(() => ({}), 'builtin');
