import { sql } from '../../../server/src/store/sql.ts'
import type { VenueFault, MatrixRow } from './matrix.ts'
import { until } from './patience.ts'
import { PACE } from './world.ts'
import type { VenueKey, World } from './world.ts'

/** The operations that list movements, where the answers are JSON. */
export const LISTS: Readonly<Partial<Record<VenueKey, readonly string[]>>> = {
  fireblocks: ['list_transactions'],
  kraken: ['DepositStatus', 'WithdrawStatus'],
  bitstamp: ['crypto-transactions', 'withdrawal-requests'],
  okx: ['deposit-history', 'withdrawal-history'],
  prime: ['DepositStatus', 'WithdrawStatus'],
  managed: ['list_deposits', 'list_withdrawals'],
}

function operationsOf(
  venue: VenueKey,
  operation: string,
  rows: readonly MatrixRow[],
): Iterable<string> {
  if (operation === 'list') return LISTS[venue] ?? []
  return operation === 'send' ? new Set(rows.map((row) => row.flow.send ?? '*')) : [operation]
}

/** Sets what the venue does, for the operations that these rows use. */
export async function setFault(
  world: World,
  venue: VenueKey,
  fault: VenueFault,
  rows: readonly MatrixRow[],
): Promise<void> {
  await fault.surprise?.before?.(world, venue)
  if (fault.habits !== undefined) await world.sandbox.control('POST', 'bank/habits', fault.habits)
  for (const setting of settingsOf(venue, fault, rows)) {
    for (const operation of operationsOf(venue, setting.operation, rows)) {
      await world.sandbox.fault(venue, operation, setting.kind, {
        remaining: setting.times ?? -1,
        ...(setting.delay_seconds === undefined
          ? {}
          : { delay_ms: setting.delay_seconds * 1000 * PACE }),
      })
    }
  }
}

function settingsOf(
  venue: VenueKey,
  { set, bank, order, also, notice }: VenueFault,
  rows: readonly MatrixRow[],
) {
  const hasOrders = rows.some((row) => row.flow.order !== undefined)
  const special = venue === 'bank' ? { set: bank, notice } : { set: hasOrders ? order : undefined }
  return [special.set ?? set, also, special.notice].filter((setting) => setting !== undefined)
}

/**
 * While the fault is set: a record that cannot be read has been set aside. A later part of the same
 * venue is content with that of an earlier one.
 */
export async function seenOdd(
  world: World,
  venue: VenueKey,
  fault: VenueFault,
): Promise<string | undefined> {
  if (fault.set?.kind !== 'ODD') return undefined
  try {
    await until(`${venue}: the odd record`, async () => {
      await world.poll(venue)
      const [item] = await world.db.query(sql`
        select id
        from set_aside_items
        where workspace = ${world.workspace}
          and venue_id = ${world.venues[venue]}
        limit 1`)
      return item === undefined ? undefined : true
    })
    return undefined
  } catch (error) {
    return String(error)
  }
}
