/** For tests: programs that call with API keys, and what they have moved. */
import { insertApiKey } from '../../store/api-keys.testing.ts'
import type { ApiKeyTestLimits } from '../../store/api-keys.testing.ts'
import { sql } from '../../store/sql.ts'
import type { openMovements } from './movements.testing.ts'

type Place = Awaited<ReturnType<typeof openMovements>>

/** A program with these limits; answers the token that it calls with. */
export async function newProgram(place: Place, limits: ApiKeyTestLimits): Promise<string> {
  const { db, principal, workspace } = place
  const { permissions } = principal
  const id = await insertApiKey(db, { workspace, limits })
  const terms = { id, permissions, networks: [], expires_at: Infinity, limited: true }
  const caller = { ...principal, user_id: id, session_id: id, api_key: terms }
  place.others.set(`Bearer ${id}`, caller)
  return id
}

/** `1.5 BTC`: what it has moved in all. */
export async function movedBy({ db }: Place, program: string): Promise<string[]> {
  const rows = await db.query<{ moved: string }>(sql`
    select trim_scale(sum(quantity))::text || ' ' || asset as moved
    from api_key_spending
    where key_id = ${program}
    group by asset
    order by asset`)
  return rows.map(({ moved }) => moved)
}

export const revoke = ({ db }: Place, program: string): Promise<unknown> =>
  db.query(sql`
    update api_keys
    set state = 'REVOKED'
    where id = ${program}`)
