/** The way in for somebody whose factor is not at hand. Known here only as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import { closed, id as identifier, nullable, time, Type } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRows, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { base32 } from './totp.ts'

const RECOVERY_CODES = tableOf(
  'recovery_codes',
  closed({
    workspace: identifier<WorkspaceId>(),
    user_id: identifier<UserId>(),
    hash: Type.Unsafe<Buffer>({ 'x-column': 'bytea' }),
    used_at: nullable(time()),
  }),
)

const CODES = 10
/** More than 112 bits, so that a plain hash is enough. */
const CODE_BYTES = 15
const GROUPS = /.{6}/g

type Owner = { workspace: WorkspaceId; id: UserId }

export const plainCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toLowerCase()
const hashOf = (code: string): Buffer => createHash('sha256').update(plainCode(code)).digest()

/** In place of those of before. */
export async function makeRecoveryCodes(tx: Tx, { workspace, id }: Owner): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () =>
    (base32(randomBytes(CODE_BYTES)).toLowerCase().match(GROUPS) ?? []).join('-'),
  )
  await forgetRecoveryCodes(tx, { workspace, id })
  const rows = codes.map((code) => ({ workspace, user_id: id, hash: hashOf(code), used_at: null }))
  await tx.query(insertRows(RECOVERY_CODES, rows, { by: id, now: 0 }))
  return codes
}

export async function forgetRecoveryCodes(tx: Tx, { workspace, id }: Owner): Promise<void> {
  await tx.query(sql`
    delete from recovery_codes
    where workspace = ${workspace}
      and user_id = ${id}`)
}

/** Whether it was one that nobody has used. Of two who use it at once, one has. */
export async function useRecoveryCode(
  reader: Reader,
  clock: Clock,
  { workspace, id }: Owner,
  code: string,
): Promise<boolean> {
  const used = await reader.query(sql`
    update recovery_codes
    set used_at = ${clock.now()}
    where workspace = ${workspace}
      and user_id = ${id}
      and hash = ${hashOf(code)}
      and used_at is null
    returning 1`)
  return used.length > 0
}
