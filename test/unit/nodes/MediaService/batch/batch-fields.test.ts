import type { INodeProperties } from 'n8n-workflow';
import { BATCH_OPTIONS, batchOptionsOf } from '../../../../../nodes/MediaService/batch/batch-fields';
import { UPLOAD_OPTIONS, uploadOptionsOf } from '../../../../../nodes/MediaService/upload/upload-fields';
import { DEFAULT_BATCH_OPTIONS } from '../../../../../temporal/batch/types';

const FORM = {
  parallelUploads: 32,
  stopWhen: { limits: { maxFailures: 7, maxFailureRate: 0.1, maxSameFailures: 25 } },
  sourceFolder: '/media/incoming',
  sourceSecret: 'cdn',
  uploadChanged: true,
  verifyMd5: false,
  acceptAnyContent: true,
};

const optionsIn = ({ options = [] }: INodeProperties): INodeProperties[] =>
  options.filter((option): option is INodeProperties => 'type' in option);
/** The form after a user has added every option, and changed nothing. */
const addedOnly = (form: INodeProperties): Record<string, unknown> =>
  Object.fromEntries(optionsIn(form).map((option) => [option.name, option.default]));

const EACH_UPLOAD = { verifyMd5: true, acceptAnyContent: false };

describe('the options of a batch', () => {
  it('have the values of the form, in the units of the batch', () => {
    expect(batchOptionsOf(FORM)).toEqual({
      parallelUploads: 32,
      maxFailures: 7,
      maxFailureRate: 0.1,
      maxSameFailures: 25,
      sourceFolder: '/media/incoming',
      sourceSecret: 'cdn',
      uploadChanged: true,
      upload: { verifyMd5: false, acceptAnyContent: true },
    });
  });

  it('are all offered by the form', () => {
    expect(
      optionsIn(BATCH_OPTIONS)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(FORM).sort());
  });

  it('hold only what the form offers', () => {
    expect(batchOptionsOf({})).toEqual({ upload: {} });
  });
});

describe('an option that is added and not changed', () => {
  it('does in a batch what holds without it', () => {
    expect(optionsIn(BATCH_OPTIONS).length).toBeLessThanOrEqual(8);
    const stopWhen = optionsIn(BATCH_OPTIONS).find(({ name }) => name === 'stopWhen');
    const [group] = stopWhen?.options ?? [];
    const values = group !== undefined && 'values' in group ? group.values : [];
    const limits = Object.fromEntries(values.map((field) => [field.name, field.default]));
    expect(batchOptionsOf({ ...addedOnly(BATCH_OPTIONS), stopWhen: { limits } })).toEqual({
      parallelUploads: DEFAULT_BATCH_OPTIONS.parallelUploads,
      maxSameFailures: DEFAULT_BATCH_OPTIONS.maxSameFailures,
      uploadChanged: false,
      upload: EACH_UPLOAD,
    });
  });

  it('does in an upload what holds without it', () => {
    expect(optionsIn(UPLOAD_OPTIONS).length).toBeLessThanOrEqual(6);
    expect(uploadOptionsOf(addedOnly(UPLOAD_OPTIONS))).toEqual(EACH_UPLOAD);
  });
});
