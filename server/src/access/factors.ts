/**
 * Second factors of users: set up by their owner, with password and a first code; taken away by
 * their owner, an administrator or the operator. Whatever is changed ends the other sessions.
 */
import type { Clock } from '../core/clock.ts'
import { notFound, refuse } from '../core/errors.ts'
import type { UserId } from '../core/ids.ts'
import type { Caller, Principal, Source } from '../http/index.ts'
import type { Tx } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { mailFactorsRemoved } from './account-mails.ts'
import { ownerOf } from './begun-factors.ts'
import type { Own } from './begun-factors.ts'
import {
  FACTOR_COLUMNS,
  factorsOf,
  isDemanded,
  lockOwner,
  setSecondFactor,
  shownFactor,
  USER_FACTORS,
} from './factor-rows.ts'
import type { Owner } from './factor-rows.ts'
import type { Factor, StoredFactor } from './factors.schema.ts'
import { assertOneLine } from './one-line.ts'
import { spendCode, wrongCode } from './proving.ts'
import { forgetRecoveryCodes, makeRecoveryCodes } from './recovery-codes.ts'
import { securityEntries } from './security-log.ts'
import { confirmSession, endSessions } from './sessions.ts'

/**
 * The first code: from now on each login asks for one. Throws 1007 WRONG_CODE, 4004, 3001
 * STATE_NOT_ALLOWED for one that counts already.
 */
export const confirmFactor = (
  app: AccessApp,
  tx: Tx,
  own: Own,
  { factor_id, code }: { factor_id: string; code: string },
): Promise<{ kept: Factor; shown: string[] | null }> =>
  confirmedFactor(app, tx, own, {
    factor_id,
    async show(factor, owner) {
      if (!(await spendCode({ ...app, db: tx }, owner, factor, code))) throw wrongCode()
      return {}
    },
  })

type FactorKey = Pick<StoredFactor, 'credential_id' | 'public_key' | 'counter' | 'transports'>

/** `show` throws where the factor is not shown, and answers what is then kept of it. */
export async function confirmedFactor(
  app: AccessApp,
  tx: Tx,
  { principal, source }: Own,
  {
    factor_id,
    show,
  }: {
    factor_id: string
    show(factor: StoredFactor, owner: Owner): Promise<Partial<FactorKey>>
  },
): Promise<{ kept: Factor; shown: string[] | null }> {
  const { clock } = app
  const owner = ownerOf(principal)
  await lockOwner(tx, owner)
  const factors = await factorsOf(tx, owner)
  const factor = factors.find(({ id }) => id === factor_id)
  if (factor === undefined) throw notFound('factor', factor_id, 'factor_id')
  if (factor.confirmed_at !== null)
    throw refuse('STATE_NOT_ALLOWED', 'factor_id', 'the factor is confirmed already')
  const key = await show(factor, owner)
  const now = clock.now()
  const { workspace, id } = factor
  await tx.query(
    updateRow(USER_FACTORS, {
      where: { workspace, id },
      set: { confirmed_at: now, last_used_at: now, ...key },
      by: owner.id,
      now,
    }),
  )
  const isFirst = factors.every(({ confirmed_at }) => confirmed_at === null)
  const recovery_codes = isFirst ? await makeRecoveryCodes(tx, owner) : null
  await setSecondFactor(tx, owner, true)
  await confirmSession(tx, principal.session_id, clock.now())
  await record(tx, clock, { owner, by: owner.id, source }, [
    { kind: 'FACTOR_ADDED', details: { factor_id, kind: factor.kind, label: factor.label } },
    ...(isFirst ? [{ kind: 'RECOVERY_CODES_MADE' as const }] : []),
  ])
  await endSessions(app, tx, {
    workspace,
    user_id: owner.id,
    except: principal.session_id,
  })
  return {
    kept: shownFactor({ ...factor, confirmed_at: now, last_used_at: now }),
    shown: recovery_codes,
  }
}

/** Throws 4004. */
export async function renameFactor(
  { clock }: AccessApp,
  tx: Tx,
  principal: Principal,
  { factor_id, label }: { factor_id: string; label: string },
): Promise<Factor> {
  assertOneLine(label, 'label')
  const { workspace, id } = ownerOf(principal)
  const [renamed] = await tx.query<Factor>(sql`
    ${updateRow(USER_FACTORS, {
      where: { workspace, id: factor_id, user_id: id },
      set: { label },
      by: id,
      now: clock.now(),
    })}
    returning ${FACTOR_COLUMNS}`)
  if (renamed === undefined) throw notFound('factor', factor_id, 'factor_id')
  return renamed
}

/** Throws 4004, and 3001 CONFLICT for the last one where the workspace demands one. */
export async function removeFactor(
  app: AccessApp,
  tx: Tx,
  { principal, source }: Own,
  factor_id: string,
): Promise<void> {
  const owner = ownerOf(principal)
  const { workspace } = owner
  await lockOwner(tx, owner)
  const factors = await factorsOf(tx, owner)
  const factor = factors.find(({ id }) => id === factor_id)
  if (factor === undefined) throw notFound('factor', factor_id, 'factor_id')
  const isLast = !factors.some(({ id, confirmed_at }) => id !== factor_id && confirmed_at !== null)
  if (isLast && factor.confirmed_at !== null && (await isDemanded(tx, owner)))
    throw refuse(
      'CONFLICT',
      'factor_id',
      'the workspace demands a factor: set up another one first',
    )
  await tx.query(sql`
    delete from user_factors
    where workspace = ${workspace}
      and id = ${factor_id}`)
  if (factor.confirmed_at === null) return
  if (isLast) await withoutFactor(tx, owner)
  await record(tx, app.clock, { owner, by: owner.id, source }, [
    { kind: 'FACTOR_REMOVED', details: { factor_id, kind: factor.kind, label: factor.label } },
  ])
  await endSessions(app, tx, { workspace, user_id: owner.id, except: principal.session_id })
}

async function withoutFactor(tx: Tx, owner: Owner): Promise<void> {
  await forgetRecoveryCodes(tx, owner)
  await setSecondFactor(tx, owner, false)
}

/** In place of those of before. Throws 3001 STATE_NOT_ALLOWED without a factor. */
export async function renewRecoveryCodes(
  { clock }: AccessApp,
  tx: Tx,
  { principal, source }: Own,
): Promise<{ kept: null; shown: string[] }> {
  const owner = ownerOf(principal)
  await lockOwner(tx, owner)
  const factors = await factorsOf(tx, owner)
  if (!factors.some(({ confirmed_at }) => confirmed_at !== null))
    throw refuse('STATE_NOT_ALLOWED', '', 'recovery codes belong to a second factor')
  const codes = await makeRecoveryCodes(tx, owner)
  await record(tx, clock, { owner, by: owner.id, source }, [{ kind: 'RECOVERY_CODES_MADE' }])
  return { kept: null, shown: codes }
}

/** For another person, who has lost them. Throws 4004, 3001 CONFLICT for the own ones. */
export async function resetFactors(
  { workspace, by, source }: Caller,
  app: AccessApp,
  tx: Tx,
  user_id: UserId,
): Promise<void> {
  if (by === user_id)
    throw refuse(
      'CONFLICT',
      'user_id',
      'the own factors are removed one by one, in the own account',
    )
  const owner = { workspace, id: user_id }
  await takeFactors(app, tx, owner, { by, source })
  await mailFactorsRemoved(tx, { workspace, user_id }, { by, now: app.clock.now() })
}

type EndingApp = Parameters<typeof endSessions>[0]

/** Takes all factors from a user, and ends the sessions. Throws 4004, 3001 where there are none. */
export async function takeFactors(
  app: EndingApp,
  tx: Tx,
  owner: Owner,
  { by, source }: { by: string; source?: Source | undefined },
): Promise<void> {
  const { workspace, id } = owner
  const [user] = await tx.query<{ second_factor: boolean }>(sql`
    select second_factor
    from users
    where workspace = ${workspace}
      and id = ${id}
    for no key update`)
  if (user === undefined) throw notFound('user', id, 'user_id')
  if (!user.second_factor)
    throw refuse('STATE_NOT_ALLOWED', 'user_id', 'the user has no second factor')
  await tx.query(sql`
    delete from user_factors
    where workspace = ${workspace}
      and user_id = ${id}`)
  await withoutFactor(tx, owner)
  await record(tx, app.clock, { owner, by, source }, [
    { kind: 'FACTOR_REMOVED', details: { reset: true } },
  ])
  await endSessions(app, tx, { workspace, user_id: id })
}

type Told = {
  kind: 'FACTOR_ADDED' | 'FACTOR_REMOVED' | 'RECOVERY_CODES_MADE'
  details?: Readonly<Record<string, unknown>>
}

async function record(
  tx: Tx,
  clock: Clock,
  { owner, by, source }: { owner: Owner; by: string; source: Source | undefined },
  occurrences: readonly Told[],
): Promise<void> {
  const [user] = await tx.query<{ id: UserId; email: string }>(sql`
    select id, email
    from users
    where workspace = ${owner.workspace}
      and id = ${owner.id}`)
  const entries = occurrences.map((told) => ({ ...told, user, actor: by, source }))
  await tx.query(securityEntries(owner.workspace, clock.now(), entries))
}
