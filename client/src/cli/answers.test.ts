import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { answer, scripted } from '../scripted.testing.ts'
import type { Scripted } from '../scripted.testing.ts'
import { OPERATIONS } from './operations.ts'
import { commandLine } from './terminal.testing.ts'

const ID = '01a1fc75-ea2a-7589-aa8f-000000000001'
const OTHER = '01a1fc75-ea2a-7589-aa8f-000000000002'
const AT = 1772443800000

const withKey = (t: TestContext, { base_url }: Scripted) =>
  commandLine(t, { KONTOR_URL: base_url, KONTOR_API_KEY: 'kontor_k' })

test('columns are chosen in every format, in their order', async (t) => {
  const row = { id: ID, state: 'ASSIGNED', quantity: '1.5', note: 'a, b' }
  const service = await scripted(t, ({ headers }, response) => {
    if (headers.accept !== 'text/csv') return answer(response, [row])
    response.write('id,state,reference_text,quant')
    return response.end('ity\r\n1,ASSIGNED,"said ""a,\r\nb""",1.5\r\n2,ASSIGNED,,2\r\n')
  })
  const { kontor } = await withKey(t, service)
  const list = ['deposits', 'list', '--columns', 'quantity, REFERENCE_TEXT', '--format']
  assert.equal(
    (await kontor([...list, 'csv'])).out,
    'quantity,reference_text\r\n1.5,"said ""a,\r\nb"""\r\n2,\r\n',
  )
  const some = ['deposits', 'list', '--columns', 'quantity,id', '--format']
  assert.deepEqual(JSON.parse((await kontor([...some, 'json'])).out), [{ quantity: '1.5', id: ID }])
  assert.match((await kontor([...some, 'table'])).out, /^QUANTITY {2}ID\n1\.5 /)
})

test('a column that there is not is refused before anything is done', async (t) => {
  const service = await scripted(t, (_, response) => answer(response, {}))
  const { kontor } = await withKey(t, service)
  for (const format of ['table', 'csv', 'json'])
    for (const command of [
      ['deposits', 'list'],
      ['timeline', 'deposit', ID],
      ['withdrawals', 'create', ID, '--quantity', '1', '--speed-level', 'FAST'],
    ]) {
      const ran = await kontor([...command, '--columns', 'id,amout', '--format', format])
      assert.equal(ran.exit, 2)
      assert.match(ran.notes, /^there is no column (amout|id): there are [a-z_]+, [a-z_]+/)
    }
  assert.equal(service.requests.length, 0)
  // Of a balance, the fields are the assets that the account has.
  assert.deepEqual(
    OPERATIONS.filter(({ columns }) => columns === undefined).map(({ id }) => id),
    ['getAccountBalance'],
  )
})

test('a timeline is a table of its steps', async (t) => {
  const step = { at: AT, type: 'deposit.seen', by: null, bookings: [], resource: { id: ID } }
  const steps = [
    { ...step, title: 'Seen', reason: null, by_name: null },
    { ...step, title: 'Assigned', reason: 'the reference names Alpine', by_name: null },
  ]
  const service = await scripted(t, (_, response) =>
    answer(response, { kind: 'deposit', id: ID, steps, truncated: false }),
  )
  const { kontor } = await withKey(t, service)
  const { out } = await kontor(['timeline', 'deposit', ID])
  const [, , , , head, , assigned] = out.split('\n')
  assert.match(out, new RegExp(`^kind {7}deposit\nid {9}${ID}\n`))
  assert.match(head ?? '', /^AT +TITLE +REASON$/)
  assert.match(
    assigned ?? '',
    /^2026-03-02T09:30:00\.000Z {2}Assigned {2}the reference names Alpine/,
  )
  const csv = await kontor([
    'timeline',
    'deposit',
    ID,
    '--format',
    'csv',
    '--columns',
    'title,type',
  ])
  assert.equal(csv.out, 'title,type\r\nSeen,deposit.seen\r\nAssigned,deposit.seen\r\n')
})

test('who calls is told field by field, with all permissions', async (t) => {
  const permissions = Array.from({ length: 20 }, (_, index) => `treasury.permission-${index}`)
  const service = await scripted(t, (_, response) =>
    answer(response, {
      user: null,
      api_key: { label: 'Payouts', networks: ['10.0.0.0/8', '10.1.0.0/16'] },
      workspace: { id: ID, name: 'Desk' },
      permissions,
    }),
  )
  const { kontor } = await withKey(t, service)
  const { out } = await kontor(['whoami'])
  assert.match(out, /^api_key\.label {5}Payouts$/m)
  assert.match(out, /^api_key\.networks {2}10\.0\.0\.0\/8, 10\.1\.0\.0\/16$/m)
  assert.match(out, /^workspace\.name {4}Desk$/m)
  assert.ok(out.split('\n').every((line) => line.length <= 100))
  assert.ok(permissions.every((name) => out.includes(name)))
})

test('an account is named by its label, and by that of its customer', async (t) => {
  const service = await scripted(t, ({ line, body }, response) => {
    if (line.endsWith('/customers')) return answer(response, [{ label: 'Alpine', account_id: ID }])
    if (line.endsWith('/accounts'))
      return answer(response, [
        { id: ID, label: 'A-1' },
        { id: OTHER, label: 'Twice' },
        { id: `${OTHER}0`, label: 'Twice' },
      ])
    return answer(response, body ?? [])
  })
  const { kontor } = await withKey(t, service)
  const create = ['withdrawals', 'create', OTHER, '--quantity', '1', '--speed-level', 'FAST']
  for (const name of ['Alpine', 'A-1', ID]) {
    const made = await kontor([...create, '--account', name, '--format', 'json'])
    assert.equal(JSON.parse(made.out).account_id, ID, made.notes)
  }
  await kontor(['deposits', 'list', '--account', 'Alpine'])
  assert.equal(service.requests.at(-1)?.query.get('account_id'), ID)
  const sent = service.requests.length
  for (const [typed, exit, says] of [
    [['--account', 'Twice'], 1, /several accounts are called Twice: give --account-id/],
    [['--account', 'Nobody'], 4, /no account is called Nobody/],
    [['--account', 'A-1', '--account-id', ID], 2, /not both/],
  ] as const) {
    const ran = await kontor([...create, ...typed])
    assert.equal(ran.exit, exit)
    assert.match(ran.notes, says)
  }
  assert.ok(service.requests.slice(sent).every(({ line }) => line.startsWith('GET ')))
})

test('a log-in may be piped, and the program ends while the pipe is open', async (t) => {
  const service = await scripted(t, ({ body }, response) => {
    assert.deepEqual(body, { email: 'a@example.com', password: 'secret' })
    answer(response, { id_token: 'i', access_token: 'a', refresh_token: 'r' })
  })
  const { home } = await commandLine(t)
  const program = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, [program, 'login', '--server', service.base_url], {
    env: { HOME: home },
  })
  const notes = text(child.stderr)
  child.stdin.write('a@example.com\nsecret\n')
  const [exit] = await once(child, 'exit')
  assert.equal(exit, 0, await notes)
  const session = await readFile(join(home, '.config/kontor/session.json'), 'utf8')
  assert.equal(JSON.parse(session).access_token, 'a')
})

test('a log-in without a password is not sent', async (t) => {
  const { kontor } = await commandLine(t)
  const ran = await kontor(['login', '--email', 'a@example.com'], { answers: [''] })
  assert.equal(ran.exit, 2)
  assert.match(ran.notes, /an e-mail and a password are needed/)
})

test('search takes words without quotes', async (t) => {
  const service = await scripted(t, (_, response) => answer(response, []))
  const { kontor } = await withKey(t, service)
  assert.equal((await kontor(['search', 'wire', 'from', 'Alpine', '--limit', '3'])).exit, 0)
  assert.equal(service.requests[0]?.query.toString(), 'q=wire+from+Alpine&limit=3')
})
