/** Every operation of the whole service under every rule: no way leads around the policy. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { JUDGED_OPERATIONS, NOT_JUDGED } from '../src/approvals/commands.ts'
import { changePolicy } from '../src/approvals/policy.ts'
import { mustExist } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import type { ApiKeyId, TreasuryRouteId, UserId } from '../src/core/ids.ts'
import { workerCaller } from '../src/http/index.ts'
import { policyInForce } from '../src/ledger/index.ts'
import type { Rule, When } from '../src/ledger/index.ts'
import { openPolicedService, rule } from './policed-service.testing.ts'
import type { At } from './policed-service.testing.ts'

const { service, operations, ask, thief, request, decide, policy } = await openPolicedService()
after(() => service.close())

describe('every operation that changes something', () => {
  it('is judged, or is none for a reason that is said', () => {
    const changing = service.endpoints
      .filter(
        ({ effect, permission }) => !['read', 'list'].includes(effect) && permission !== 'public',
      )
      .map(({ operation_id }) => operation_id)
    const known = [...Object.keys(JUDGED_OPERATIONS), ...Object.keys(NOT_JUDGED)]
    assert.deepEqual(known.toSorted(), changing.toSorted())
  })

  it('names parameters and fields that it has', () => {
    const fields = (schema: unknown) =>
      Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
    for (const [name, { record, route, secrets = [] }] of Object.entries(JUDGED_OPERATIONS)) {
      const { params, body } = mustExist(operations.get(name), name)
      const inPath = [record, route?.in === 'params' ? route.field : undefined]
      for (const field of inPath.filter((one) => one !== undefined))
        assert.ok(fields(params).includes(field), `${name}: ${field}`)
      const inBody = [...secrets, ...(route?.in === 'body' ? [route.field] : [])]
      for (const field of inBody) assert.ok(fields(body).includes(field), `${name}: ${field}`)
    }
  })
})

describe('a policy that comes into force', () => {
  it('counts for the next booking, also where another process has put it', async () => {
    const accounts = await ask<{ id: string; type: string }[]>(thief.token, ['GET', '/accounts'])
    const [one, other] = accounts.data.filter(({ type }) => type !== 'CUSTOMER')
    const leg = (type: string, account_id: string | undefined) => ({
      type,
      account_id,
      quantity: '1',
    })
    const body = { asset: 'EUR', legs: [leg('DEBIT', one?.id), leg('CREDIT', other?.id)] }
    const book = () => ask(thief.token, ['POST', '/bookings'], body)
    const booked = await book()
    assert.equal(booked.status, 200, booked.text)
    await policy([rule({ commands: ['MANUAL_BOOKING'] }, 'DENY')])
    assert.equal((await book()).code, 'POLICY_DENIED')
    await policy([])
    assert.equal((await book()).status, 200)
  })

  it('judges a change of itself that the one before it had let pass', async () => {
    const { app, clock, ours } = service
    await policy([])
    const before = await policyInForce(app.db, ours.workspace)
    await policy([rule({ commands: ['POLICY_CHANGE'] })])
    const { version } = await policyInForce(app.db, ours.workspace)
    const caller = { ...workerCaller(ours.workspace, thief.id), judged_by: before.version }
    const body = { rules: [], otherwise: 'ALLOW' as const, version }
    await assert.rejects(
      app.db.tx((tx) => changePolicy(caller, { tx, clock }, body)),
      /the policy has changed/,
    )
    await policy([])
  })
})

describe('every command under every rule', () => {
  const ROUTE = newId<TreasuryRouteId>()
  const NAMES = ['EUR', 'BTC']
  const some = <T>(values: readonly T[]) =>
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: values.length })
  const bodies: Readonly<Record<string, object>> = {
    putHalt: { halted: false },
    freezeAccount: { frozen: false },
    createBooking: {
      asset: 'EUR',
      legs: ['DEBIT', 'CREDIT'].map((type) => ({ account_id: ROUTE, type, quantity: '250' })),
    },
    createBookTransfer: { asset: 'EUR', quantity: '250' },
    createTransferJob: { route: ROUTE },
    changeTransferJob: { route: ROUTE },
  }
  const amountOf = (name: string) =>
    name === 'createBooking' || name === 'createBookTransfer'
      ? { asset: 'EUR', quantity: 250 }
      : undefined
  const hasRoute = (name: string) => /TransferJob$|^(change|allow)TreasuryRoute$/.test(name)

  const whenFor = (command: Rule['name']): fc.Arbitrary<When> =>
    fc.record(
      {
        commands: some([command, 'WEBHOOK_CHANGE', 'WITHDRAWAL']) as fc.Arbitrary<
          NonNullable<When['commands']>
        >,
        assets: some(NAMES),
        amount_at_least: fc.constantFrom('250', '250.01'),
        destination_is_new: fc.boolean(),
        routes: some([ROUTE, newId<TreasuryRouteId>()]),
        requesters: some([thief.id, newId<UserId>()]),
        roles: some(['TRADER', 'ADMIN']),
        api_keys: fc.constant([newId<ApiKeyId>()]),
      },
      { requiredKeys: [] },
    )

  /** As the documentation says it: a condition about what a command does not have does not hold. */
  function holds(when: When, name: string): boolean {
    const { command } = mustExist(JUDGED_OPERATIONS[name], name)
    const amount = amountOf(name)
    return (
      (when.commands?.includes(command) ?? true) &&
      (when.assets?.includes(amount?.asset ?? '') ?? true) &&
      (when.amount_at_least === undefined ||
        (amount !== undefined && amount.quantity >= Number(when.amount_at_least))) &&
      when.destination_is_new === undefined &&
      (when.routes?.includes(hasRoute(name) ? ROUTE : newId()) ?? true) &&
      (when.requesters?.includes(thief.id) ?? true) &&
      when.api_keys === undefined
    )
  }

  function callOf(name: string): [At, unknown] {
    const { method, path, params, example } = mustExist(operations.get(name), name)
    const schemas = (params as { properties?: Record<string, { enum?: string[] }> } | undefined)
      ?.properties
    const url = path.replaceAll(/:(\w+)/g, (_, field: string) => {
      if (field === 'key') return name.includes('Declaration') ? 'venues.bank' : 'zone'
      if (field === 'name') return 'api_secret'
      return schemas?.[field]?.enum?.[0] ?? ROUTE
    })
    const body = example === undefined ? undefined : { ...(example as object), ...bodies[name] }
    return [[method, url], body]
  }

  const outcomeOf = ({ status, code }: { status: number; code: string | undefined }): string => {
    if (status === 403 && code === 'POLICY_DENIED') return 'DENY'
    return status === 409 && code === 'APPROVAL_REQUIRED' ? 'APPROVE' : 'ALLOW'
  }

  for (const name of Object.keys(JUDGED_OPERATIONS))
    it(`${name} is done, denied or waits as the first rule says that matches`, async () => {
      const { command } = mustExist(JUDGED_OPERATIONS[name], name)
      const verdicts = fc.constantFrom('ALLOW' as const, 'DENY' as const, 'APPROVE' as const)
      const rules = fc.array(
        fc
          .record({ when: whenFor(command), verdict: verdicts })
          .map((one) => rule(one.when, one.verdict)),
        { maxLength: 3 },
      )
      const [at, body] = callOf(name)
      const run = fc.asyncProperty(
        rules,
        fc.constantFrom('ALLOW' as const, 'DENY' as const),
        async (given, otherwise) => {
          await policy(given, otherwise)
          const expected = given.find(({ when }) => holds(when, name))?.verdict ?? otherwise
          const answer = await ask(thief.token, at, body)
          assert.equal(outcomeOf(answer), expected, `${name}: ${answer.text}`)
          if (expected !== 'APPROVE') return
          const waiting = await request(answer.record_id)
          assert.partialDeepStrictEqual(waiting, {
            state: 'PENDING',
            command,
            operation: name,
            requested_by: thief.id,
          })
          await decide(waiting.id, 'REJECT')
        },
      )
      await policy([rule({ commands: [command] })])
      assert.equal(outcomeOf(await ask(thief.token, at, body)), 'APPROVE')
      await fc.assert(run, { numRuns: 8 })
    })

  after(() => policy([]))
})
