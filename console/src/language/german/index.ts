/** Every text of the console in German. `german.test.ts` finds what is missing, or not used. */
export const GERMAN: Readonly<Record<string, string>> = {}
