import type { Json } from '../core/json.ts'
import type { Db, Tx } from '../store/db.ts'
import { onceInTransaction } from './idempotency.ts'
import type { Repeatable } from './idempotency.ts'

/**
 * What is shown once: the stored answer to a repeat is without it, as it would stand in the
 * database in clear.
 */
export async function onceShowing<Kept extends Json, Shown>(
  app: { db: Db },
  repeatable: Repeatable,
  make: (tx: Tx) => Promise<{ kept: Kept; shown: Shown }>,
): Promise<{ kept: Kept; shown: Shown | null }> {
  let shown: Shown | null = null
  const kept = await onceInTransaction(app, repeatable, async (tx) => {
    const made = await make(tx)
    shown = made.shown
    return made.kept
  })
  return { kept: kept as Kept, shown }
}
