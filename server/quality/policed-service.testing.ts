/** For tests of the policy over the whole service: two people, rules, and what they ask for. */
import { createUser } from '../src/access/index.ts'
import type { Role } from '../src/access/index.ts'
import type { UserId } from '../src/core/ids.ts'
import { workerCaller } from '../src/http/index.ts'
import type { Endpoint } from '../src/http/index.ts'
import { lockLane, policyInForce, putPolicy } from '../src/ledger/index.ts'
import type { ApprovalInDetail, Policy, Rule, When } from '../src/ledger/index.ts'
import { openServiceUnderTest } from './service-under-test.ts'
import type { ServiceUnderTest } from './service-under-test.ts'

type Answer<Data = unknown> = {
  status: number
  data: Data
  code: string | undefined
  record_id: string | undefined
  text: string
}

/** What is called: method and address below /api. */
export type At = [Endpoint['method'], string]
type Person = { id: UserId; token: string }

/** An entry of the audit trail. */
export type Entry = { operation: string; outcome: string; actor: string; request_id: string }

/** `thief` has every role; `other` may approve. */
export async function openPolicedService() {
  const service = await openServiceUnderTest()
  const operations = new Map(service.endpoints.map((one) => [one.operation_id, one]))
  const ask = askerOf(service)
  const person = (name: string, ...roles: Role[]) => personOf({ service, ask }, name, roles)
  const [id] = service.ours.user_ids
  const thief: Person = { id: id as UserId, token: service.ours.tokens.all }
  const other = await person('second', 'APPROVER', 'ADMIN', 'TREASURER')
  const request = async (of: string | undefined) =>
    (await ask<ApprovalInDetail>(other.token, ['GET', `/approvals/${of}`])).data
  const decide = (of: string | undefined, decision: string, token = other.token) =>
    ask<ApprovalInDetail>(token, ['POST', `/approvals/${of}/decision`], { decision })
  const policy = (rules: Rule[], otherwise: Policy['otherwise'] = 'ALLOW') =>
    comesIntoForce(service, rules, otherwise)
  return { service, operations, ask, person, thief, other, request, decide, policy }
}

type Asking = <Data>(token: string, at: At, body?: unknown) => Promise<Answer<Data>>

const askerOf =
  (service: ServiceUnderTest): Asking =>
  async <Data>(token: string, [method, url]: At, body?: unknown) => {
    const { status, text } = await service.send({
      method,
      url: `/api${url}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const parsed = JSON.parse(text) as { data: Data; error_details?: Record<string, string>[] }
    const [detail] = parsed.error_details ?? []
    return {
      status,
      data: parsed.data,
      code: detail?.['code'],
      record_id: detail?.['record_id'],
      text,
    }
  }

async function personOf(
  { service, ask }: { service: ServiceUnderTest; ask: Asking },
  name: string,
  roles: Role[],
): Promise<Person> {
  const { app, ours, clock } = service
  const email = `${name}@ours.example`
  const { password } = ours.login
  const caller = workerCaller(ours.workspace, 'test')
  const body = { email, roles, password, must_change_password: false }
  const { id } = await app.db.tx((tx) => createUser(caller, tx, clock, body))
  const login = await ask<{ access_token: string }>('', ['POST', '/auth/login'], {
    email,
    password,
  })
  return { id, token: login.data.access_token }
}

/** Comes into force, whatever the policy of before says of it. */
async function comesIntoForce(
  { app, clock, ours: { workspace } }: ServiceUnderTest,
  rules: Rule[],
  otherwise: Policy['otherwise'],
): Promise<void> {
  await app.db.tx(async (tx) => {
    await lockLane(tx, workspace)
    const { version } = await policyInForce(tx, workspace)
    const stamp = { workspace, by: 'test', now: clock.now() }
    await putPolicy(tx, stamp, { version, rules, otherwise })
  })
}

export const rule = (when: When, verdict: Rule['verdict'] = 'APPROVE', n = 1): Rule => ({
  name: 'somebody else',
  when,
  verdict,
  ...(verdict === 'APPROVE'
    ? { approve: { groups: [{ roles: ['APPROVER'], n }], within_hours: 1 } }
    : {}),
})
