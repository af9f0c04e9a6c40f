/** For tests: a workspace with books, three assets and customers. */
import { createWorkspace } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import type { Caller } from '../../http/index.ts'
import { openBooks, putAsset } from '../../ledger/index.ts'
import type { Db } from '../../store/db.ts'

const ASSETS = [
  ['BTC', 8],
  ['EUR', 2],
  ['ETH', 8],
] as const

export async function openWorkspace(db: Db, clock: Clock): Promise<WorkspaceId> {
  const { id: workspace } = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Trading' }))
  await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
  for (const [code, scale] of ASSETS)
    await putAsset(db, workspace, {
      code,
      label: code,
      kind: code === 'EUR' ? 'FIAT' : 'CRYPTO',
      scale,
      circulating_supply: null,
    })
  return workspace
}

/** Alice, with the margin of everyone, unless the test says otherwise. */
export function createAlice(
  caller: Caller,
  { db, clock }: { db: Db; clock: Clock },
  more: Partial<Customer>,
): Promise<Customer> {
  return db.tx((tx) =>
    createCustomer(caller, tx, clock, {
      type: 'RETAIL',
      label: 'Alice',
      first_name: 'Alice',
      last_name: 'A',
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
      ...more,
    } as never),
  )
}
