import type { Clock } from '../../core/clock.ts'
import {
  closed,
  endpoint,
  listEndpoint,
  queryAsset,
  queryAssets,
  queryTime,
} from '../../http/index.ts'
import type { Call, Endpoint, Principal } from '../../http/index.ts'
import { Type } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import { datevFile } from './datev-file.ts'
import { datevBatch } from './datev.ts'
import type { DatevQuery } from './datev.ts'
import { generalLedger } from './general-ledger.ts'
import { DatevExport, GeneralLedgerLine, UnnumberedAccounts } from './general-ledger.schema.ts'
import { unnumbered } from './numbers.ts'

const common = {
  tag: 'Bookings',
  permission: 'bookings.read',
  origin: { ours: "the books in the numbers of the bank's own chart of accounts" },
} as const

export function generalLedgerEndpoints({ db, clock }: { db: Db; clock: Clock }): Endpoint[] {
  const books = ({ workspace }: Pick<Principal, 'workspace'>) => ({ reader: db, clock, workspace })
  return [
    listEndpoint({
      ...common,
      operation_id: 'listGeneralLedger',
      ordered_by: 'sequence and text',
      path: '/general-ledger',
      summary: 'List the general ledger',
      description:
        'Each leg of each booking from `from` (inclusive) to `to` (exclusive; both times of ' +
        'booking), oldest first, with the number that the setting `general_ledger` gives its ' +
        'account. One without a number is listed too, with its reason. CSV by `Accept: text/csv`.',
      query: closed({ from: queryTime(), to: queryTime(), assets: queryAssets() }),
      data: GeneralLedgerLine,
      list: ({ principal, query }) => generalLedger(books(principal), query),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'listUnnumberedAccounts',
      path: '/general-ledger/unnumbered',
      summary: 'Accounts without a number in the general ledger',
      description: 'By type and asset, of all accounts on which something was ever booked.',
      effect: 'read',
      read_cost: 1_000,
      data: Type.Array(UnnumberedAccounts),
      handle: ({ principal: { workspace } }) => unnumbered(db, workspace),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getDatevExport',
      path: '/general-ledger/datev',
      summary: 'DATEV Buchungsstapel',
      description:
        'With `Accept: text/csv` the file: the bookings of one currency from `from` to before ' +
        '`to` (times of booking), in Windows-1252. Else what it holds on each number. All three ' +
        'must be given. Refused: CONFLICT where the setting `general_ledger` has no `datev`, or ' +
        'no number for an account that moved; FORMAT and SCALE for what is no currency with two ' +
        'decimals, or a number that DATEV does not take; RANGE for more than one fiscal year, ' +
        'more than 99,999 postings, or a time in the future.',
      effect: 'read',
      read_cost: 1_000,
      query: closed({ asset: queryAsset(), from: queryTime(), to: queryTime() }),
      data: DatevExport,
      handle: async ({ principal, query }) => (await datevBatch(books(principal), query)).data,
      papers: {
        csv: async (call) => {
          const { principal, query } = call as unknown as Call<undefined, DatevQuery, undefined>
          const own = books(principal)
          return datevFile(own, await datevBatch(own, query), clock.now())
        },
      },
    }),
  ]
}
