/** What came in, went out, was moved and was traded on one day, hour by hour. */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Principal } from '../../http/index.ts'
import { tradedByHour } from '../../trading/index.ts'
import { depositsByHour, withdrawalsByHour } from '../../treasury/index.ts'
import { daysOf, hoursOf } from './days.ts'
import type { AskedDays } from './days.ts'
import type { Flow, Flows } from './pictures.schema.ts'
import type { PicturesApp } from './positions.ts'

type HourOf = { asset: string; hour: number; count: number; quantity: string }

/** Each part only for who may see it. Throws RANGE, FORMAT. */
export async function flowsOf(
  { db, clock }: Pick<PicturesApp, 'db' | 'clock'>,
  { workspace, permissions }: Pick<Principal, 'workspace' | 'permissions'>,
  asked: Pick<AskedDays, 'day' | 'time_zone'>,
): Promise<Flows> {
  const [day = { day: '', from: 0, to: 0 }] = daysOf(asked, clock.now())
  const hours = hoursOf(day)
  const [deposits, withdrawn, traded] = await Promise.all([
    permissions.has('treasury.deposits.read') ? depositsByHour(db, workspace, day) : null,
    permissions.has('treasury.withdrawals.read') ? withdrawalsByHour(db, workspace, day) : null,
    permissions.has('trading.executions.read') ? tradedByHour(db, workspace, day) : null,
  ])
  const flows = (rows: readonly HourOf[] | undefined | null) =>
    rows === null || rows === undefined ? null : byAsset(rows, hours.length)
  return {
    ...day,
    hours: hours.map(({ from }) => from),
    deposits: flows(deposits),
    withdrawals: flows(withdrawn?.filter((row) => !row.own_transfer)),
    transfers: flows(withdrawn?.filter((row) => row.own_transfer)),
    bought: flows(traded?.filter((row) => row.got)),
    sold: flows(traded?.filter((row) => !row.got)),
  }
}

function byAsset(rows: readonly HourOf[], hours: number): Flow[] {
  return [...Map.groupBy(rows, ({ asset }) => asset)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([asset, of]) => {
      const sumOf = (some: readonly HourOf[]) =>
        format(sum(some.map(({ quantity }) => decimal(quantity))))
      return {
        asset,
        count: of.reduce((total, { count }) => total + count, 0),
        quantity: sumOf(of),
        quantities: Array.from({ length: hours }, (_none, hour) =>
          sumOf(of.filter((row) => row.hour === hour)),
        ),
      }
    })
}
