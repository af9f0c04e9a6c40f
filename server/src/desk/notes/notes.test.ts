import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createUser, createWorkspace, PERMISSIONS, PERMISSIONS_OF } from '../../access/index.ts'
import type { Role } from '../../access/index.ts'
import { manualClock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { createCustomer } from '../../customers/index.ts'
import { workerCaller } from '../../http/index.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import type { Answer, TestServer } from '../../http/testing.ts'
import { lockLane, openBooks } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { MAXIMUM_COMMENTS } from './comments.ts'
import { MAXIMUM_FILE_BYTES } from './notes.schema.ts'
import type { Attachment, Comment, Notes, Tag } from './notes.schema.ts'
import { notesEndpoints } from './notes.http.ts'
import { NOTED_KINDS } from './records.ts'
import { MAXIMUM_TAGS } from './tags.ts'

/** Of a module on the desk's own floor. */
const SETTLEMENTS = {
  kind: 'settlement',
  permission: 'settlements.read',
  table: 'settlements',
  show: () => sql``,
}
const PDF = Buffer.from('%PDF-1.7 the contract')

describe('notes on records', () => {
  let database: TestDatabase
  let server: TestServer
  let customer: string
  const clock = manualClock(1_800_000_000_000)
  const people = new Map<string, Principal>()

  before(async () => {
    database = await testDatabase()
    const { db } = database
    const [ours, theirs] = await db.tx(async (tx) => {
      const made = [
        await createWorkspace(tx, clock, { name: 'ours' }),
        await createWorkspace(tx, clock, { name: 'theirs' }),
      ] as const
      for (const { id } of made) await openBooks({ workspace: id, by: 'test' }, { tx, clock })
      return made
    })
    const person = async (name: string, { id: workspace }: typeof ours, role: Role) => {
      const { id: user_id } = await db.tx((tx) =>
        createUser(workerCaller(workspace, 'test'), tx, clock, {
          email: `${name}@example.com`,
          name,
          roles: [role],
          password: 'a long first password',
        }),
      )
      const permissions = new Set(PERMISSIONS_OF[role])
      people.set(name, { workspace, user_id, session_id: newId(), permissions })
    }
    await person('ann', ours, 'TREASURER')
    await person('ben', ours, 'COMPLIANCE')
    await person('audit', ours, 'AUDITOR')
    await person('stranger', theirs, 'TREASURER')
    people.set('blind', {
      ...(people.get('ann') as Principal),
      permissions: new Set(['notes.write']),
    })
    people.set('all', {
      ...(people.get('ann') as Principal),
      permissions: new Set(Object.keys(PERMISSIONS)),
    })
    ;({ id: customer } = await db.tx((tx) =>
      createCustomer(workerCaller(ours.id, 'test'), tx, clock, {
        type: 'RETAIL',
        label: 'Jonas Keller',
        first_name: 'Jonas',
        last_name: 'Keller',
        margin: 'DEFAULT',
        booking_schema: 'SIMPLE',
        ignore_balance_check: false,
        ignore_margin: false,
      }),
    ))
    server = await testServer({
      db,
      clock,
      endpoints: notesEndpoints({ db, clock }, [{ searchables: [SETTLEMENTS], needs: [] }]),
      authenticate: (header) => {
        const principal = people.get(header?.slice('Bearer '.length) ?? '')
        if (principal === undefined) throw new ApiError('MissingToken')
        return principal
      },
    })
  })
  after(async () => {
    await server?.close()
    await database.drop()
  })

  const call = <Data>(token: string, how: string, body?: unknown): Promise<Answer<Data>> => {
    const [method, url = ''] = how.split(' ') as ['GET' | 'POST' | 'DELETE', string?]
    return server.call<Data>(method, url, { token, ...(body === undefined ? {} : { body }) })
  }
  const noted = () => `/notes/customer/${customer}`
  const write = (token: string, text: string, more: object = {}) =>
    call<Comment>(token, `POST ${noted()}/comments`, { text, ...more })
  const tagWith = (token: string, tag: string, on = noted()) =>
    call<Tag>(token, `POST ${on}/tags`, { tag })
  const attach = (token: string, content: Buffer, more: object = {}) =>
    call<Attachment>(token, `POST ${noted()}/attachments`, {
      name: 'contract.pdf',
      media_type: 'application/pdf',
      content: content.toString('base64'),
      ...more,
    })
  const read = async (token: string) => (await call<Notes>(token, `GET ${noted()}`)).data
  const code = ({ status, error_details }: Answer<unknown>) =>
    `${status} ${error_details?.[0]?.code} ${error_details?.[0]?.path}`

  it('are read by all who may see the record, and written with a permission', async () => {
    const { data, text } = await write('ann', 'He called about the wire.')
    assert.partialDeepStrictEqual(
      data,
      { text: 'He called about the wire.', author_name: 'ann', deleted_at: null },
      text,
    )
    assert.equal((await read('audit')).comments[0]?.text, 'He called about the wire.')
    assert.equal(code(await write('audit', 'x')), '403 PERMISSION_REQUIRED ')
    assert.equal(code(await tagWith('audit', 'x')), '403 PERMISSION_REQUIRED ')
    assert.equal(code(await attach('audit', PDF)), '403 PERMISSION_REQUIRED ')
  })

  it('do not exist for who may not see the record, nor for another workspace', async () => {
    assert.equal(code(await write('blind', 'x')), '403 PERMISSION_REQUIRED ')
    assert.equal(code(await call('blind', `GET ${noted()}`)), '403 PERMISSION_REQUIRED ')
    const attached = `/attachments/${(await attach('ann', PDF)).data.id}`
    assert.equal(code(await call('blind', `GET ${attached}`)), '403 PERMISSION_REQUIRED ')
    const unknown = '404 NOT_FOUND record_id'
    assert.equal(code(await call('stranger', `GET ${noted()}`)), unknown)
    assert.equal(code(await write('stranger', 'x')), unknown)
    assert.equal(code(await tagWith('stranger', 'x')), unknown)
    assert.equal(code(await attach('stranger', PDF)), unknown)
    assert.equal(code(await call('stranger', `GET ${attached}`)), '404 NOT_FOUND attachment_id')
    assert.equal(code(await call('ann', `GET /notes/deposit/${customer}`)), unknown)
  })

  it('stand on records of every kind', async () => {
    for (const kind of NOTED_KINDS)
      assert.equal(
        code(await call('all', `GET /notes/${kind}/${newId()}`)),
        '404 NOT_FOUND record_id',
        kind,
      )
  })

  it('of an author alone are deleted, and shown as deleted', async () => {
    const { id } = (await write('ann', 'A mistake')).data
    assert.equal(code(await call('ben', `DELETE /comments/${id}`)), '400 CONFLICT comment_id')
    const gone = await call<Comment>('ann', `DELETE /comments/${id}`)
    assert.equal(gone.data.text, null)
    assert.equal(code(await call('ann', `DELETE /comments/${id}`)), '400 CONFLICT comment_id')
    const shown = (await read('ben')).comments.find((comment) => comment.id === id)
    assert.partialDeepStrictEqual(shown, {
      text: null,
      deleted_at: clock.now(),
      author_name: 'ann',
    })
    const [left] = await database.db.query<{ count: number }>(sql`
      select count(*)::int as count
      from comments
      where text = 'A mistake'`)
    assert.equal(left?.count, 0)
  })

  it('mention colleagues who can log in', async () => {
    const [ben, stranger] = [people.get('ben')?.user_id, people.get('stranger')?.user_id]
    assert.deepEqual((await write('ann', '@ben look', { mentions: [ben] })).data.mentions, [ben])
    const unknown = await write('ann', '@stranger look', { mentions: [stranger] })
    assert.equal(code(unknown), '404 NOT_FOUND mentions[0]')
    const colleagues = await call<{ name: string }[]>('ann', 'GET /colleagues')
    assert.deepEqual(colleagues.data.map(({ name }) => name).toSorted(), ['ann', 'audit', 'ben'])
  })

  it('that are tags stand once on a record, in lower case, and lead to it', async () => {
    const { id } = (await tagWith('ann', 'Urgent')).data
    assert.equal((await tagWith('ben', 'URGENT')).data.id, id)
    assert.equal(code(await tagWith('ann', 'two words')), '400 FORMAT tag')
    const found = await call<Tag[]>('audit', 'GET /tagged/customer?tag=urgent')
    assert.deepEqual(
      found.data.map(({ record_id, tag }) => [record_id, tag]),
      [[customer, 'urgent']],
    )
    const other = newId()
    const of = (ids: string) => call<Tag[]>('ann', `GET /tagged/customer?record_ids=${ids}`)
    assert.deepEqual((await of(`${other},${customer}`)).data.length, 1)
    assert.deepEqual((await of(other)).data, [])
    assert.equal(code(await of('x')), '400 MALFORMED_ID record_ids')
    assert.equal(code(await call('blind', 'GET /tagged/customer')), '403 PERMISSION_REQUIRED ')
    assert.deepEqual((await call<Tag[]>('stranger', 'GET /tagged/customer')).data, [])
    assert.equal((await call('ben', `DELETE /tags/${id}`)).status, 200)
    assert.deepEqual((await read('ann')).tags, [])
    for (let n = 0; n < MAXIMUM_TAGS; n += 1) await tagWith('ann', `t${n}`)
    assert.equal(code(await tagWith('ann', 'more')), '400 ABOVE_MAXIMUM tag')
  })

  it('that are files come back byte by byte, as a download that no browser shows', async () => {
    const { data } = await attach('ann', PDF, { name: 'Vertrag „neu“.pdf' })
    assert.equal(data.sha256, createHash('sha256').update(PDF).digest('hex'))
    // Over a socket, where the security headers are added.
    const base = await server.server.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${base}/api/attachments/${data.id}`, {
      headers: { authorization: 'Bearer audit' },
    })
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), PDF)
    const headers = Object.fromEntries(response.headers)
    assert.partialDeepStrictEqual(headers, {
      'content-type': 'application/octet-stream',
      'content-disposition':
        'attachment; filename="Vertrag _neu_.pdf"; ' +
        "filename*=UTF-8''Vertrag%20%E2%80%9Eneu%E2%80%9C.pdf",
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    })
    const own = `DELETE /attachments/${data.id}`
    assert.equal(code(await call('ben', own)), '400 CONFLICT attachment_id')
    assert.equal((await call<Attachment>('ann', own)).data.available, false)
    assert.equal(
      code(await call('ann', `GET /attachments/${data.id}`)),
      '404 NOT_FOUND attachment_id',
    )
  })

  it('that are files are stored before the lane is taken, for which bookings wait', async () => {
    const { workspace } = people.get('ann') as Principal
    const attaching = await database.db.tx(async (tx) => {
      await lockLane(tx, workspace)
      const waiting = attach('ann', PDF)
      await until('the file is written', async () => {
        const locks = await database.db.query(sql`
          select 1
          from pg_locks
          where relation = 'attachments'::regclass
            and mode = 'RowExclusiveLock'
            and database = (
              select oid
              from pg_database
              where datname = current_database()
            )`)
        return locks.length > 0
      })
      return { waiting }
    })
    assert.equal((await attaching.waiting).status, 200)
  })

  it('that are files are what they say, and have limits', async () => {
    const html = Buffer.from('<script>alert(1)</script>')
    assert.equal(code(await attach('ann', html)), '400 CONFLICT media_type')
    assert.equal(
      code(await attach('ann', html, { media_type: 'text/html' })),
      '400 ENUM media_type',
    )
    assert.equal(code(await attach('ann', PDF, { name: '../x.pdf' })), '400 FORMAT name')
    assert.equal(code(await attach('ann', PDF, { content: 'ab$=' })), '400 FORMAT content')
    const large = Buffer.alloc(MAXIMUM_FILE_BYTES, PDF)
    const above = await attach('ann', Buffer.alloc(MAXIMUM_FILE_BYTES + 1, PDF))
    assert.match(code(above), /^400 .* content$/)
    for (let n = 0; n < 4; n += 1) assert.equal((await attach('ann', large)).status, 200)
    assert.equal(code(await attach('ann', large)), '400 ABOVE_MAXIMUM content')
  })

  it('are told by events that say nothing of what stands there', async () => {
    const events = await database.db.query<{ type: string; data: object }>(sql`
      select type, data
      from events
      where resource_id = ${customer}
        and type ~ '^(comment|tag|attachment)'
      order by sequence`)
    assert.deepEqual(
      new Set(events.map(({ type }) => type)),
      new Set([
        'comment.written',
        'comment.deleted',
        'tag.added',
        'tag.removed',
        'attachment.added',
        'attachment.deleted',
      ]),
    )
    assert.doesNotMatch(JSON.stringify(events), /wire|mistake|contract|Vertrag|urgent/i)
  })

  it('that are comments have a limit', async () => {
    const { workspace } = people.get('ann') as Principal
    const known = (await read('ann')).comments.length
    await database.db.query(sql`
      insert into comments (workspace, id, kind, record_id, text, system_created_at,
        system_updated_at)
      select ${workspace}, gen_random_uuid(), 'customer', ${customer}, 'said before', 0, 0
      from generate_series(${known + 2}::int, ${MAXIMUM_COMMENTS}::int)`)
    assert.equal((await write('ann', 'the last one')).status, 200)
    assert.equal(code(await write('ann', 'one more')), '400 ABOVE_MAXIMUM text')
  })
})
