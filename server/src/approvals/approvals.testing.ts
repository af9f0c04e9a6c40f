/** For tests: a workplace with users of every role, a policy, and withdrawals under it. */
import assert from 'node:assert/strict'
import { permissionsOf } from '../access/permissions.ts'
import type { Role } from '../access/index.ts'
import { newId } from '../core/ids.ts'
import type { UserId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { Answer } from '../http/testing.ts'
import type { ApprovalRequest, PutPolicyBody, Rule } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { treasuryEndpoints } from '../treasury/index.ts'
import type { Withdrawal } from '../treasury/index.ts'
import { openMovements } from '../treasury/testing/movements.testing.ts'
import { approvalsEndpoints, approvalsTasks, underPolicy } from './index.ts'

type Method = 'GET' | 'POST' | 'PUT'

export const TWO_OTHERS: Rule = {
  name: 'two look at it',
  when: { commands: ['WITHDRAWAL'] },
  verdict: 'APPROVE',
  approve: { groups: [{ roles: ['APPROVER'], n: 2 }], within_hours: 24 },
}

export async function openApprovals() {
  const place = await openMovements()
  const { app, db, clock, workspace, principal } = place
  const people = new Map<string, Principal>()
  const endpoints = underPolicy(app, [...treasuryEndpoints(app), ...approvalsEndpoints(app)])
  const server = await testServer({
    db,
    clock,
    endpoints,
    authenticate: (header) => people.get(header ?? '') ?? principal,
  })

  /** Answers the token that they call with, which is their id. */
  async function user(...roles: Role[]): Promise<string> {
    const id = newId<UserId>()
    const now = clock.now()
    await db.query(sql`
      insert into users (
        workspace, id, email, password_hash, roles, state, must_change_password,
        system_created_at, system_updated_at
      )
      values (
        ${workspace}, ${id}, ${`${id}@kontor.local`}, '', ${roles}, 'ACTIVE', false, ${now}, ${now}
      )`)
    const permissions = permissionsOf(roles)
    people.set(`Bearer ${id}`, { workspace, user_id: id, session_id: newId(), permissions })
    return id
  }
  const call = <Data = Record<string, unknown>>(
    token: string,
    method: Method,
    url: string,
    ...[body, headers = {}]: [body?: unknown, headers?: Record<string, string>]
  ) => server.call<Data>(method, url, { token, headers, ...(body === undefined ? {} : { body }) })

  const admin = await user('ADMIN')
  const treasurer = await user('TREASURER')
  const approvers = [
    await user('APPROVER'),
    await user('APPROVER'),
    await user('APPROVER'),
  ] as const

  const staff = { admin, treasurer, approvers }
  return {
    ...place,
    ...staff,
    user,
    as: call,
    ...acts(place, call, staff),
    sends: (id: string) =>
      place.models.vault.sends.filter((send) => send.external_id === id).length,
    async close(): Promise<void> {
      await server.close()
      await place.close()
    },
  }
}

type As = <Data = Record<string, unknown>>(
  token: string,
  method: Method,
  url: string,
  ...more: [body?: unknown, headers?: Record<string, string>]
) => Promise<Answer<Data>>
type Who = { admin: string; treasurer: string }

function acts(
  place: Awaited<ReturnType<typeof openMovements>>,
  call: As,
  { admin, treasurer }: Who,
) {
  const { app, db, workspace } = place
  async function policy(rules: Rule[], otherwise: 'ALLOW' | 'DENY' = 'ALLOW'): Promise<number> {
    const before = await call<PutPolicyBody>(admin, 'GET', '/policy')
    const { version } = before.data
    const put = await call(admin, 'PUT', '/policy', { rules, otherwise, version })
    assert.equal(put.status, 200, put.text)
    return version + 1
  }
  /** By the treasurer, from an account of its own that has enough. */
  const ask = (
    quantity: string,
    { token = treasurer, account_id = place.alice.account_id, headers = {} } = {},
  ) =>
    call<Withdrawal>(
      token,
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity, speed_level: 'DEFAULT', account_id },
      headers,
    )
  const withdrawal = async (id: string) =>
    (await call<Withdrawal>(treasurer, 'GET', `/treasury/withdrawals/${id}`)).data
  const request = async (id: string | null) =>
    (await call<ApprovalRequest>(treasurer, 'GET', `/approvals/${id}`)).data
  const decide = (token: string, id: string | null, decision: string, more: object = {}) =>
    call<ApprovalRequest>(token, 'POST', `/approvals/${id}/decision`, { decision, ...more })
  const takeBack = (token: string, id: string | null) =>
    call<ApprovalRequest>(token, 'POST', `/approvals/${id}/withdraw`, {})
  /** The task as the worker does it. */
  const expire = (id: string | null) =>
    approvalsTasks(app, () => [])['expire_approval']?.({
      workspace,
      kind: 'expire_approval',
      subject_id: id ?? '',
      attempts: 1,
    })
  const counted = async () =>
    (
      await db.query<{ line: string }>(sql`
        select per || ' ' || asset || ' ' || trim_scale(quantity)::text as line
        from policy_totals
        where workspace = ${workspace}
          and per in ('WORKSPACE', 'USER')
        order by day, per, key`)
    ).map(({ line }) => line)
  return { policy, ask, withdrawal, request, decide, takeBack, expire, counted }
}
