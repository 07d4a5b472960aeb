import { jest } from '@jest/globals';

jest.setTimeout(30 * 60_000);
