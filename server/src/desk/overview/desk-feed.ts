/** Everything that is overseen: what each module shows, and breaks, which are the desk's own. */
import { accessOverseen } from '../../access/index.ts'
import { customersOverseen } from '../../customers/index.ts'
import { ledgerOverseen } from '../../ledger/index.ts'
import type { Overseen, Storied } from '../../store/overseen.ts'
import { sql } from '../../store/sql.ts'
import { tradingOverseen } from '../../trading/index.ts'
import { treasuryOverseen } from '../../treasury/index.ts'
import { venuesOverseen } from '../../venues/index.ts'

const deskOverseen: Overseen = {
  findables: [
    {
      kind: 'break',
      permission: 'desk.read',
      table: 'breaks',
      show: (workspace, ids) => sql`
      select id, 'Break of ' || trim_scale(difference)::text || ' ' || asset as title, explanation as subtitle, state, first_seen_at as at, 'venue' as parent_kind, venue_id as parent_id
      from breaks where workspace = ${workspace} and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [
    {
      kind: 'breaks_open',
      permission: 'desk.read',
      title: 'Breaks between venues and books',
      list: '/desk/breaks',
      filter: { state: 'OPEN' },
      select: (workspace) =>
        sql`select count(*)::integer as count, min(first_seen_at) as oldest_at from breaks where workspace = ${workspace} and state = 'OPEN'`,
    },
  ],
}

/** `beside`: of modules on the desk's own floor, which it does not know. */
export function allOverseen(
  beside: readonly Overseen[],
): Overseen & { stories: readonly Storied[] } {
  const all = [
    customersOverseen,
    ledgerOverseen,
    treasuryOverseen,
    tradingOverseen,
    venuesOverseen,
    deskOverseen,
    accessOverseen,
    ...beside,
  ]
  return {
    findables: all.flatMap((overseen) => overseen.findables),
    needs: all.flatMap((overseen) => overseen.needs),
    stories: all.flatMap((overseen) => overseen.stories ?? []),
  }
}
