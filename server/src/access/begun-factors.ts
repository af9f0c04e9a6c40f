/** A second factor is begun: it counts once its owner has shown it (factors.ts). */
import type { Clock } from '../core/clock.ts'
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Principal, Source } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Tx } from '../store/db.ts'
import { insertRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import type { AccessApp } from './access.ts'
import { factorsOf, lockOwner, USER_FACTORS, wrapSecret } from './factor-rows.ts'
import type { Owner } from './factor-rows.ts'
import { assertOneLine } from './one-line.ts'
import { addressOf, base32, newSecret } from './totp.ts'

const MAXIMUM_FACTORS = 5
const DEFAULT_LABEL = 'Authenticator app'

export type Own = { principal: Principal; source: Source }

export const ownerOf = ({ workspace, user_id }: Principal): Owner => ({ workspace, id: user_id })

/** In place of one that was never confirmed. Throws 3001 CONFLICT where nothing can be wrapped. */
export async function beginTotp(
  { clock, access }: AccessApp,
  tx: Tx,
  { principal }: Own,
  { email, label = DEFAULT_LABEL }: { email: string; label?: string | undefined },
): Promise<{ kept: { id: string }; shown: { secret: string; address: string } }> {
  const { wrapping } = access.tokens
  if (wrapping === undefined)
    throw refuse('CONFLICT', '', 'second factors need a key file: KONTOR_KEY_FILE must name it')
  const owner = ownerOf(principal)
  const secret = newSecret()
  const id = await beginFactor(tx, clock, owner, { kind: 'TOTP', label, secret, wrapping })
  const issuer = await workspaceNameOf(tx, owner.workspace)
  return {
    kept: { id },
    shown: { secret: base32(secret), address: addressOf(secret, { issuer, email }) },
  }
}

type Begun = { label: string } & (
  | { kind: 'TOTP'; secret: Buffer; wrapping: WrappingKey }
  | { kind: 'PASSKEY' }
)

/** In place of one that was never confirmed. Answers its id. */
export async function beginFactor(
  tx: Tx,
  clock: Clock,
  owner: Owner,
  begun: Begun,
): Promise<string> {
  const { kind, label } = begun
  assertOneLine(label, 'label')
  await lockOwner(tx, owner)
  await tx.query(sql`
    delete from user_factors
    where workspace = ${owner.workspace}
      and user_id = ${owner.id}
      and confirmed_at is null`)
  if ((await factorsOf(tx, owner)).length >= MAXIMUM_FACTORS)
    throw refuse('CONFLICT', '', `a user has at most ${MAXIMUM_FACTORS} factors`)
  const id = newId()
  const row = {
    workspace: owner.workspace,
    id,
    user_id: owner.id,
    kind,
    label,
    confirmed_at: null,
    last_used_at: null,
    secret:
      begun.kind === 'TOTP'
        ? wrapSecret(begun.wrapping, owner, { id, secret: begun.secret })
        : null,
    wrapped_by: begun.kind === 'TOTP' ? begun.wrapping.id : null,
    last_step: null,
    credential_id: null,
    public_key: null,
    counter: null,
    transports: [],
  }
  await tx.query(insertRow(USER_FACTORS, row, { by: owner.id, now: clock.now() }))
  return id
}

export async function workspaceNameOf(tx: Tx, workspace: WorkspaceId): Promise<string> {
  const row = only(
    await tx.query<{ name: string }>(sql`
      select coalesce(nullif(settings -> 'brand' ->> 'name', ''), name) as name
      from workspaces
      where id = ${workspace}`),
  )
  return `Kontor ${row?.name ?? ''}`.trim()
}
