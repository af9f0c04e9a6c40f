import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { answer, refuse, scripted } from '../scripted.testing.ts'
import type { Scripted } from '../scripted.testing.ts'
import { isTyped, optionsOf } from './arguments.ts'
import { OPERATIONS } from './operations.ts'
import { commandLine } from './terminal.testing.ts'

const ID = '01a1fc75-ea2a-7589-aa8f-000000000001'
const DEPOSIT = {
  id: ID,
  workspace: 'w',
  state: 'UNASSIGNED',
  asset: 'EUR',
  quantity: '1250.5',
  reference_text: 'INVOICE \u001b[31m4711',
  counterparty: { name: 'Alpine' },
  occurred_at: 1772443800000,
  reason: null,
}

const withKey = (t: TestContext, { base_url }: Scripted) =>
  commandLine(t, { KONTOR_URL: base_url, KONTOR_API_KEY: 'kontor_k' })

test('a list is a table, JSON or the CSV of the service, and says where it goes on', async (t) => {
  const service = await scripted(t, ({ query, headers }, response) => {
    if (headers.accept === 'text/csv') return response.end('id,state\r\n1,ASSIGNED\r\n')
    if (query.has('cursor')) return answer(response, [DEPOSIT])
    return answer(response, [DEPOSIT], { link: '</x?cursor=next>; rel="next"' })
  })
  const { kontor } = await withKey(t, service)
  const list = ['deposits', 'list', '--state', 'unassigned,assigned']
  const table = await kontor(list)
  assert.equal(table.exit, 0)
  const [head = '', row = ''] = table.out.split('\n')
  assert.match(head, /^ID +STATE +ASSET +QUANTITY +COUNTERPARTY/)
  assert.ok(row.startsWith(`${ID}  UNASSIGNED  EUR    1250.5    {"name":"Alpine"}`), row)
  assert.ok(!table.out.includes('REASON') && !table.out.includes('\u001b'))
  assert.match(table.notes, /--cursor next/)
  assert.equal(service.requests[0]?.query.toString(), 'limit=50&state=unassigned%2Cassigned')
  assert.equal(service.requests[0]?.headers.authorization, 'Bearer kontor_k')
  const json = await kontor([...list, '--format', 'json', '--limit', '1'])
  assert.deepEqual(JSON.parse(json.out), [DEPOSIT])
  const all = await kontor([...list, '--all', '--format', 'json'])
  assert.equal(JSON.parse(all.out).length, 2)
  const csv = await kontor([...list, '--format', 'csv', '--all'])
  assert.equal(csv.out, 'id,state\r\n1,ASSIGNED\r\n')
  assert.equal(service.requests.at(-1)?.query.has('limit'), false)
  const chosen = await kontor([...list, '--columns', 'quantity,occurred_at'])
  assert.match(chosen.out, /^QUANTITY  OCCURRED_AT\n1250\.5    2026-03-02T09:30:00\.000Z\n/)
})

test('a text that a spreadsheet would run gets an apostrophe, an amount does not', async (t) => {
  const row = { ...DEPOSIT, quantity: '-1.5', reference_text: '=HYPERLINK("x")' }
  const service = await scripted(t, (_, response) => answer(response, row))
  const { kontor } = await withKey(t, service)
  const { out } = await kontor(['deposits', 'get', ID, '--format', 'csv'])
  assert.match(out, /,-1\.5,"'=HYPERLINK\(""x""\)",/)
})

test('a key comes from a file, and no option takes it', async (t) => {
  const service = await scripted(t, (_, response) => answer(response, []))
  const { home, kontor } = await commandLine(t, { KONTOR_URL: service.base_url })
  const file = join(home, 'key')
  await writeFile(file, 'kontor_f\n')
  for (const typed of [
    { args: ['--key-file', file], env: {} },
    { args: [], env: { KONTOR_API_KEY_FILE: file } },
  ]) {
    assert.equal((await kontor(['venues', 'list', ...typed.args], typed)).exit, 0)
    assert.equal(service.requests.at(-1)?.headers.authorization, 'Bearer kontor_f')
  }
  assert.match((await kontor(['venues', 'list', '--key', 'kontor_f'])).notes, /Unknown option/)
})

test('a dry run says where the service has no preview', async (t) => {
  const service = await scripted(t, (_, response) => answer(response, {}))
  const { kontor } = await withKey(t, service)
  const dry = await kontor(['accounts', 'open', '--label', 'Fees', '--dry-run'])
  assert.match(JSON.parse(dry.out).outcome, /no preview of this\. Nothing was sent/)
  assert.equal(service.requests.length, 0)
})

test('one record is shown field by field', async (t) => {
  const service = await scripted(t, (_, response) => answer(response, DEPOSIT))
  const { kontor } = await withKey(t, service)
  const { out } = await kontor(['deposits', 'get', ID])
  assert.equal(service.requests[0]?.line, `GET /api/treasury/deposits/${ID}`)
  assert.match(out, /^occurred_at {8}2026-03-02T09:30:00\.000Z$/m)
  assert.match(out, /^counterparty\.name {2}Alpine$/m)
  assert.match(out, /^reference_text {5}INVOICE ·\[31m4711$/m)
  const csv = await kontor(['deposits', 'get', ID, '--format', 'csv'])
  assert.match(csv.out, /^id,workspace,state.*\r\n/)
})

test('a write has fields, --data, or both; a dry run shows it and asks for the fee', async (t) => {
  const service = await scripted(t, ({ line, body }, response) =>
    answer(response, line.endsWith('estimate-fee') ? { asset: 'BTC' } : body),
  )
  const { kontor } = await withKey(t, service)
  const create = ['withdrawals', 'create', ID, '--quantity', '0.10', '--speed-level', 'FAST']
  const made = await kontor([...create, '--third-party', '--format', 'json'])
  assert.deepEqual(JSON.parse(made.out), {
    quantity: '0.10',
    speed_level: 'FAST',
    third_party: true,
  })
  const line = `POST /api/treasury/wallets/routes/${ID}/withdrawals`
  assert.equal(service.requests[0]?.line, line)
  assert.ok(service.requests[0]?.headers['idempotency-key'])
  const dry = await kontor([...create, '--no-third-party', '--dry-run'])
  assert.deepEqual(JSON.parse(dry.out), {
    would_send: {
      method: 'POST',
      url: `${service.base_url}${line.slice(5)}`,
      body: { quantity: '0.10', speed_level: 'FAST', third_party: false },
    },
    outcome: { asset: 'BTC' },
  })
  assert.equal(service.count(line), 1)
  const data = '[{"quantity":"1","account_id":"a"}]'
  await kontor(['deposits', 'assign', ID, '--data', '-', '--idempotency-key', 'mine'], {
    input: data,
  })
  const { body, headers } = service.requests.at(-1) ?? {}
  assert.deepEqual([body, headers?.['idempotency-key']], [JSON.parse(data), 'mine'])
  await kontor(['deposits', 'return', ID, '--dry-run'])
  assert.equal(service.requests.at(-1)?.query.get('dry_run'), 'true')
})

test('faults are told with what to do, and with their exit code', async (t) => {
  const service = await scripted(t, ({ line }, response) => {
    if (line.includes('accounts')) return refuse(response, [403, 1003])
    if (line.includes('venues')) return refuse(response, [404, 4004])
    const detail = { path: 'quantity', code: 'SCALE', message: 'too many digits' }
    return refuse(response, [400, 3001], {}, [detail])
  })
  const { kontor } = await withKey(t, service)
  const scale = await kontor(['withdrawals', 'create', ID, '--quantity', '0.123456789'])
  assert.equal(scale.exit, 1)
  assert.match(scale.notes, /quantity: too many digits \(SCALE\)\nrequest of-header/)
  for (const [args, exit, says] of [
    [['accounts', 'list'], 3, /1003/],
    [['venues', 'list'], 4, /4004/],
    [['nothing'], 2, /no resource nothing/],
    [['deposits', 'eat'], 2, /no command eat\nkontor deposits COMMAND/],
    [['deposits', 'get'], 2, /takes DEPOSIT_ID, and got 0/],
    [['deposits', 'list', '--stat', 'x'], 2, /Unknown option '--stat'/],
    [['deposits', 'list', '--limit', 'many'], 2, /--limit is a whole number/],
    [['deposits', 'list', '--format', 'xml'], 2, /--format is table, json, csv/],
    [['webhooks', 'create', '--data', '{'], 2, /--data is not JSON/],
    [['webhooks', 'create', '--data', '@/nowhere/at/all'], 2, /ENOENT/],
  ] as const) {
    const ran = await kontor(args)
    assert.equal(ran.exit, exit, `${args.join(' ')}: ${ran.notes}`)
    assert.match(ran.notes, says)
  }
})

test('a log-in is stored for its owner alone, renewed, and ended', async (t) => {
  const service = await scripted(t, ({ line, nth, headers, body }, response) => {
    if (line.endsWith('/login')) {
      assert.deepEqual(body, { email: 'a@example.com', password: 'secret' })
      return answer(response, { id_token: 'i', access_token: 'old', refresh_token: 'r' })
    }
    if (line.endsWith('/refresh')) return answer(response, { access_token: 'fresh' })
    if (line.endsWith('/logout')) return answer(response, {})
    if (nth === 0) assert.equal(headers.authorization, 'Bearer old')
    if (headers.authorization === 'Bearer old') return refuse(response, [401, 1005])
    return answer(response, [])
  })
  const { base_url } = service
  const { home, kontor } = await commandLine(t)
  const file = join(home, '.config/kontor/session.json')
  assert.equal((await kontor(['venues', 'list', '--server', base_url])).exit, 3)
  const login = ['login', '--server', base_url, '--email', 'a@example.com']
  const logged = await kontor(login, { answers: ['secret'] })
  assert.equal(logged.exit, 0, logged.notes)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await kontor(['venues', 'list'])).exit, 0)
  assert.equal((await kontor(['venues', 'list'])).exit, 0)
  assert.equal(service.count('POST /api/auth/refresh'), 1)
  assert.equal(JSON.parse(await readFile(file, 'utf8')).access_token, 'fresh')
  const elsewhere = await kontor(['venues', 'list', '--server', 'http://127.0.0.1:1'])
  assert.deepEqual([elsewhere.exit, elsewhere.notes.includes('not logged in')], [3, true])
  await chmod(file, 0o644)
  assert.match((await kontor(['venues', 'list'])).notes, /others may read/)
  await chmod(file, 0o600)
  assert.equal((await kontor(['logout'])).exit, 0)
  assert.equal(service.count('POST /api/auth/logout'), 1)
  await assert.rejects(readFile(file))
})

test('a key is stored by log-in, and its service is remembered with it', async (t) => {
  const service = await scripted(t, ({ line }, response) =>
    answer(response, line.endsWith('/me') ? { api_key: { label: 'Payouts' } } : []),
  )
  const { kontor } = await commandLine(t)
  const login = await kontor(['login', '--server', service.base_url], {
    env: { KONTOR_API_KEY: 'kontor_k' },
  })
  assert.match(login.notes, /the key of Payouts is stored/)
  assert.equal((await kontor(['deposits', 'list'])).out, 'no rows\n')
  assert.equal(service.requests.at(-1)?.headers.authorization, 'Bearer kontor_k')
})

test('events are followed until the person leaves', async (t) => {
  const event = { sequence: 8, occurred_at: 1772443800000, type: 'deposit.assigned' }
  const service = await scripted(t, ({ query }, response) => {
    assert.equal(query.get('type'), 'deposit.assigned')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const data = JSON.stringify({ ...event, resource_id: ID, data: { asset: 'EUR' } })
    response.write(`id: 8\nevent: x\ndata: ${data}\n\n`)
  })
  const { kontor } = await withKey(t, service)
  const ran = await kontor(['events', '--follow', '--after', '7', '--type', 'deposit.assigned'], {
    written: (_, leave) => {
      leave()
    },
  })
  assert.equal(ran.exit, 0)
  assert.equal(ran.out, `8  2026-03-02T09:30:00.000Z  deposit.assigned  ${ID}  asset=EUR\n`)
  assert.equal(service.requests[0]?.headers['last-event-id'], '7')
})

test('events go on where an earlier run ended', async (t) => {
  const service = await scripted(t, ({ headers }, response) => {
    const sequence = Number(headers['last-event-id']) + 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const data = { sequence, occurred_at: 1772443800000, type: 'x', resource_id: ID, data: {} }
    response.write(`id: ${sequence}\nevent: x\ndata: ${JSON.stringify(data)}\n\n`)
    response.write(': more\n\n')
  })
  const { home, kontor } = await withKey(t, service)
  const file = join(home, 'position')
  await writeFile(file, '7\n')
  const follow = ['events', '--follow', '--position', file, '--format', 'json']
  for (const sequence of [8, 9]) {
    const ran = await kontor(follow, {
      written: (_, leave) => {
        leave()
      },
    })
    assert.equal(JSON.parse(ran.out).sequence, sequence)
    assert.equal(await readFile(file, 'utf8'), `${sequence}\n`)
  }
})

test('everything has help, and no field is hidden by an option of every command', async (t) => {
  const { kontor } = await commandLine(t)
  const whole = await kontor(['--help'])
  assert.equal((await kontor(['help'])).out, whole.out)
  for (const group of new Set(OPERATIONS.map((operation) => operation.group))) {
    assert.match(whole.out, new RegExp(`\\b${group}\\b`))
    assert.equal((await kontor([group, '--help'])).exit, 0)
  }
  for (const operation of OPERATIONS) {
    const { group, verb, body, query } = operation
    const help = await kontor([group, verb, '--help'])
    assert.match(help.out, new RegExp(`^kontor ${group} ${verb}`))
    assert.ok(help.out.split('\n').every((line) => line.trimEnd() === line))
    const typed = [...query, ...body].filter(isTyped)
    const fields = typed.map(({ name }) => name.replaceAll('_', '-'))
    const common = [
      'server',
      'key-file',
      'format',
      'columns',
      'help',
      'account',
      'data',
      'all',
      'retries',
      'idempotency-key',
    ]
    assert.deepEqual(
      fields.filter((name) => common.includes(name)),
      [],
    )
    assert.ok(fields.every((name) => name in optionsOf(operation)))
  }
  for (const special of [['login'], ['payouts'], ['events', '--follow']])
    assert.equal((await kontor([...special, '--help'])).exit, 0)
})

test('a session file that cannot be read says so', async (t) => {
  const { home, kontor } = await commandLine(t)
  const file = join(home, 'session')
  await writeFile(file, '{', { mode: 0o600 })
  const ran = await kontor(['venues', 'list'], { env: { KONTOR_SESSION: file } })
  assert.equal(ran.exit, 3)
  assert.match(ran.notes, /cannot be read: log in again/)
})
