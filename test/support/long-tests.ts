jest.setTimeout(30 * 60_000);
