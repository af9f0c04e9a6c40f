/** What a bank says about a payee's name, of the external codes of ISO 20022. */
const WORDS: Readonly<Record<string, string>> = {
  RCVC: 'the name matches',
  RVNC: 'the name was not to be checked',
  RVCM: 'the name of at least one payee does not match',
  RCVM: 'the name of at least one payee does not match',
  RVMC: 'the name is almost that of the account',
  RVNM: 'the name is not that of the account',
  RVNA: 'the name could not be checked',
}

/** The code with its words; any other term of a venue stays as it is. */
export const payeeCheckWords = (code: string): string =>
  WORDS[code] === undefined ? code : `${code}: ${WORDS[code]}`
