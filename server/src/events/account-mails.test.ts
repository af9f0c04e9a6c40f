import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ACCOUNT_MAIL_TASK, createFirstUser, putSettings } from '../access/index.ts'
import { mustExist } from '../core/assert.ts'
import { manualClock } from '../core/clock.ts'
import { workerCaller } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { accountMailTasks } from './index.ts'
import type { Mailer } from './index.ts'

const { db, drop } = await testDatabase()
after(drop)
const clock = manualClock(Date.now())
const first = await createFirstUser(db, clock, { email: 'first@example.com' })
const workspace = mustExist(first.workspace, 'the first start')

type Sent = Parameters<Mailer['send']>[0]
const sent: Sent[] = []
let answer: Awaited<ReturnType<Mailer['send']>> = { handover: 'taken' }
const mailer: Mailer = {
  send: async (mail) => {
    sent.push(mail)
    return answer
  },
  close: () => undefined,
}
const app = { db, clock, mailer, console_url: 'https://kontor.example', log: { warn: () => {} } }
const work = mustExist(accountMailTasks(app)[ACCOUNT_MAIL_TASK], 'the task')

async function put(kind: string, expires_at: number | null = null): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql`
    insert into account_mails (
      workspace, id, user_id, kind, state, attempts, token_hashes, expires_at,
      system_created_at, system_updated_at
    )
    select
      workspace, gen_random_uuid(), id, ${kind}, 'PENDING', 0, '{}', ${expires_at},
      ${clock.now()}, ${clock.now()}
    from users
    returning id`)
  return mustExist(row, 'the row').id
}
const turn = (subject_id: string) =>
  work({ workspace, kind: ACCOUNT_MAIL_TASK, subject_id, attempts: 0 })
async function stateOf(id: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>(sql`
    select state
    from account_mails
    where id = ${id}`)
  return row?.state
}

test('each attempt has a link of its own, which the database does not have', async () => {
  const id = await put('INVITATION', clock.now() + 1000)
  answer = { handover: 'failed', reason: 'no answer' }
  assert.deepEqual(await turn(id), { again_at: clock.now() + 60_000 })
  answer = { handover: 'taken' }
  assert.equal(await turn(id), 'done')
  assert.equal(await turn(id), 'done')
  assert.equal(sent.length, 2, 'not sent again')
  const links = sent.map(({ body }) => /https:\S+/.exec(body)?.[0] ?? '')
  assert.equal(new Set(links).size, 2)
  const [row] = await db.query<{ token_hashes: Buffer[]; state: string }>(sql`
    select token_hashes, state
    from account_mails
    where id = ${id}`)
  assert.equal(row?.state, 'SENT')
  assert.equal(row?.token_hashes.length, 2)
  for (const link of links) {
    const secret = link.split('.').at(-1) ?? ''
    assert.match(link, new RegExp(`^https://kontor\\.example/invitation#${id}\\.`))
    assert.ok(row?.token_hashes.every((hash) => hash.toString('base64url') !== secret))
  }
  assert.ok(sent.every(({ recipient }) => recipient === 'first@example.com'))
})

test('one that is over, or refused, is not sent again', async () => {
  const over = await put('INVITATION', clock.now())
  assert.equal(await turn(over), 'done')
  assert.equal(await stateOf(over), 'CANCELED')
  const refused = await put('FACTORS_REMOVED')
  answer = { handover: 'refused', reason: 'no such mailbox' }
  assert.equal(await turn(refused), 'done')
  assert.equal(await stateOf(refused), 'FAILED')
})

test('a user is told in the language of the workspace', async () => {
  await db.tx((tx) =>
    putSettings(workerCaller(workspace, 'test'), tx, clock, { mail_language: 'de' }),
  )
  answer = { handover: 'taken' }
  await turn(await put('FACTORS_REMOVED'))
  assert.match(sent.at(-1)?.subject ?? '', /zweiter Faktor/)
  assert.ok(!sent.at(-1)?.body.includes('#'))
})
