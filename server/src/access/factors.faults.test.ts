/** A factor, a confirmation and an invitation count once, wherever the process dies over them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import { apiClient, openServices, prepareDatabase, repeat } from '../core/service.testing.ts'
import type { Service } from '../core/service.testing.ts'
import { createKeyFile } from '../store/key-files.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { shownCode } from './factors.testing.ts'
import { SoftAuthenticator } from './passkeys.testing.ts'
import type { Begun as BegunPasskey } from './passkeys.testing.ts'
import { accountMail, newInvitationToken } from './index.ts'
import type { User } from './index.ts'

const ADMIN = { email: 'admin@example.com', password: 'fault tests only' }
const OWN = 'chosen by nobody else'
const NOT_CONFIRMED = /"error_code":1009/
const CODE_WANTED = /"error_code":1007/

type Confirmed = { recovery_codes: string[] | null }

describe('what lets people in outlives its processes', { timeout: 300_000 }, () => {
  let database: TestDatabase
  let folder: string
  let services: ReturnType<typeof openServices>
  let api: Service
  const { call, connect } = apiClient(ADMIN)

  async function startApi(env: Record<string, string> = {}): Promise<void> {
    api = services.start(env)
    await connect((await api.ready).port)
  }

  /** Another process, which dies there during the request. */
  async function killedAt(point: string, request: () => Promise<unknown>): Promise<void> {
    await services.kill(api)
    await startApi({ KONTOR_FAILPOINT: point })
    const dying = api
    await assert.rejects(request())
    assert.equal(await dying.exited, 'SIGKILL', point)
    await startApi()
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-factors-'))
    const file = join(folder, 'kontor.key')
    await createKeyFile(file)
    database = await testDatabase({ maximumConnections: 3 })
    await prepareDatabase(database.url, ADMIN)
    services = openServices({
      DATABASE_URL: database.url,
      KONTOR_ROLE: 'api',
      KONTOR_KEY_FILE: file,
      KONTOR_CONSOLE_URL: 'https://kontor.example.com',
      KONTOR_SMTP_URL: 'smtp://127.0.0.1:9',
      KONTOR_MAIL_FROM: 'kontor@example.com',
      KONTOR_LEASE_MS: '1000',
    })
    await startApi()
  })
  after(async () => {
    await services.killAll()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const login = ({ email, password }: typeof ADMIN = ADMIN) =>
    call('POST', '/auth/login', { email, password })
  const dangerous = () => call('PUT', '/settings/compliance', { value: true })
  const begin = () =>
    call<{ id: string; secret: string }>('POST', '/auth/factors/totp', {
      password: ADMIN.password,
    })
  const renew = () => call<Confirmed>('POST', '/auth/factors/recovery-codes')

  for (const point of ['passkey.confirm.before', 'passkey.confirm.after'])
    it(`killed at ${point}: a passkey counts once it is confirmed`, async () => {
      const device = new SoftAuthenticator()
      device.origin = 'https://kontor.example.com'
      const { id, options } = await call<BegunPasskey>('POST', '/auth/factors/passkeys', {
        password: ADMIN.password,
      })
      const credential = device.create(options)
      const key = { 'idempotency-key': newId() }
      const once = () => call<Confirmed>('POST', `/auth/factors/${id}/passkey`, { credential }, key)
      await killedAt(point, once)
      // What showed the recovery codes is lost: the session makes new ones.
      assert.equal((await once()).recovery_codes === null, point.endsWith('after'))
      const [factor, ...more] = await call<User[]>('GET', '/auth/factors')
      assert.deepEqual([factor?.id, more], [id, []])
      await assert.rejects(login(), CODE_WANTED)
      await call('DELETE', `/auth/factors/${id}`)
    })

  for (const point of ['factor.confirm.before', 'factor.confirm.after'])
    it(`killed at ${point}: the factor counts once it is confirmed`, async () => {
      const { id, secret } = await begin()
      const key = newId()
      const confirm = () =>
        call<Confirmed>(
          'POST',
          `/auth/factors/${id}/confirm`,
          { code: shownCode(secret, systemClock) },
          { 'idempotency-key': key },
        )
      const code = shownCode(secret, systemClock)
      const once = () =>
        call<Confirmed>('POST', `/auth/factors/${id}/confirm`, { code }, { 'idempotency-key': key })
      await killedAt(point, once)
      const isThere = point.endsWith('.after')
      if (isThere) await assert.rejects(login(), CODE_WANTED)
      else await login()
      const { recovery_codes } = await repeat(isThere ? once : confirm)
      assert.equal(recovery_codes?.length, isThere ? undefined : 10, 'shown once')
      await assert.rejects(login(), CODE_WANTED)
      assert.equal((await renew()).recovery_codes?.length, 10)
      await call('DELETE', `/auth/factors/${id}`)
      await login()
    })

  it('a session is confirmed once its commit is through', async () => {
    const { id, secret } = await begin()
    const code = shownCode(secret, systemClock)
    await call('POST', `/auth/factors/${id}/confirm`, { code })
    const [first = '', second = '', third = ''] = (await renew()).recovery_codes ?? []
    const confirm = (recovery: string) =>
      call('POST', '/auth/confirm', { password: ADMIN.password, code: recovery })
    const long = () =>
      database.db.query(sql`
        update sessions
        set factor_at = 0`)

    await long()
    await killedAt('session.confirm.before', () => confirm(first))
    await assert.rejects(dangerous(), NOT_CONFIRMED)
    await assert.rejects(confirm(first), CODE_WANTED, 'it was used up')
    await confirm(second)
    await dangerous()

    await long()
    await killedAt('session.confirm.after', () => confirm(third))
    await dangerous()
    await assert.rejects(confirm(third), CODE_WANTED, 'it was used up')
  })

  for (const point of ['invitation.accept.before', 'invitation.accept.after'])
    it(`killed at ${point}: the link works once`, async () => {
      const email = `${point}@example.com`
      const user = await call<User>('POST', '/users', { email, roles: ['READER'] })
      const token = await tokenFor(user)
      const accept = () => call('POST', '/auth/invitation', { token, new_password: OWN })
      await killedAt(point, accept)
      if (point.endsWith('.before')) {
        await assert.rejects(login({ email, password: OWN }))
        await accept()
      }
      await login({ email, password: OWN })
      await assert.rejects(accept(), /NOT_ACTIVE/)
      await login({ email, password: OWN })
    })

  /** What stands in the mail, handed over as the worker does. */
  async function tokenFor({ id }: User): Promise<string> {
    const [row] = await database.db.query<{ id: string; workspace: User['workspace'] }>(sql`
      select id, workspace
      from account_mails
      where user_id = ${id}`)
    assert.ok(row)
    const mail = await accountMail(database.db, row.workspace, row.id)
    assert.ok(mail)
    const now = systemClock.now()
    return newInvitationToken(database.db, mail, { by: 'test', now })
  }
})
