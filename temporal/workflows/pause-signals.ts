import { defineSignal } from '@temporalio/workflow';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../contract/upload';

/** The signals that pause and resume an upload, a batch and its pages. */
export const pauseSignal = defineSignal(PAUSE_SIGNAL);
export const resumeSignal = defineSignal(RESUME_SIGNAL);
