/** One n8n and one browser for everything that users see in the editor; each file beside this one is a part of it. */
import { secretsIn } from '../../support/canary';
import { SECRET_TRACES } from '../support/service-fixture';
import { describeBadInput } from './bad-input';
import { describeCredentials } from './credentials';
import { useEditor } from './support/use-editor';
import { describeUploadConsole } from './upload';

const on = useEditor();

describeBadInput(on);
describeUploadConsole(on);
describeCredentials(on);

test(
  'the browser receives no secret',
  on.screen(async ({ received }) => {
    const text = await received();
    // Texts of a wrong value and an upload, which the browser does receive.
    const kept = ['31 Nov 2026', 'kitchen.mp4'];
    expect(secretsIn(text, kept)).toEqual(kept);
    expect(secretsIn(text, SECRET_TRACES)).toEqual([]);
  }),
);
