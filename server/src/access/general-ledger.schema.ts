/** Under which numbers of the bank's own chart its accounts stand in exports. */
import { ACCOUNT_TYPES } from '../core/account-types.ts'
import { refuse } from '../core/errors.ts'
import { asset, closed, id, integer, oneOf, optional, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'

const MAXIMUM_NUMBERS = 1_000

const NumberedAccounts = closed({
  type: optional(oneOf(ACCOUNT_TYPES, 'All accounts of this type')),
  account_id: optional(id()),
  asset: optional(asset()),
  number: Type.String({
    pattern: '^[0-9A-Za-z][0-9A-Za-z.-]{0,19}$',
    description: "In the bank's chart of accounts",
  }),
})

/** The values that DATEV's header demands: server/src/desk/general-ledger/datev-file.ts. */
const DatevClient = closed({
  consultant: integer(1_001, 9_999_999, 'Beraternummer'),
  client: integer(1, 99_999, 'Mandantennummer'),
  account_length: integer(4, 8, 'Sachkontenlänge: how many digits the numbers of accounts have'),
  fiscal_year_start: Type.String({
    pattern: '^(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$',
    description: 'Month and day on which the fiscal year begins, such as 01-01',
  }),
})

export const generalLedgerSchema = closed(
  {
    accounts: Type.Array(NumberedAccounts, { maxItems: MAXIMUM_NUMBERS }),
    datev: optional(DatevClient),
  },
  {
    description:
      "Numbers of the bank's chart of accounts, for exports: of a type of accounts or of one " +
      'account, in all assets or in one. One account counts before its type, and one asset ' +
      'before all',
  },
)
export type GeneralLedger = Static<typeof generalLedgerSchema>

/** Throws 3001 where it is not clear what has a number, or which. */
export function assertGeneralLedger({ accounts }: GeneralLedger, path: string): void {
  const known = new Set<string>()
  for (const [index, { type, account_id, asset: of }] of accounts.entries()) {
    const at = `${path}.accounts.${index}`
    if ((type === undefined) === (account_id === undefined))
      throw refuse('FORMAT', at, `${at} must name either a type of accounts or one account`)
    const key = `${type ?? account_id ?? ''} ${of ?? ''}`
    if (known.has(key)) throw refuse('CONFLICT', at, `${at}: another number is given for the same`)
    known.add(key)
  }
}
