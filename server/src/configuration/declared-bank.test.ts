/** A bank that a person declares: its folders, and a day with it over a real service. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { apiClient, openServices, prepareDatabase } from '../core/service.testing.ts'
import { until } from '../core/testing.ts'
import { mustExist } from '../core/assert.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { refusalsOf } from '../http/testing.ts'
import type { Answer } from '../http/testing.ts'
import { createKeyFile } from '../store/key-files.ts'
import { testDatabase } from '../store/testing.ts'
import {
  entryXml,
  IBAN,
  notificationXml,
  PAYEE,
  statementXml,
} from '../venues/bank/bank-files.testing.ts'
import { DeclarationsWorld } from './declarations.testing.ts'
import type { DeclarationRecord } from './declarations.schema.ts'

type Declared = Record<string, unknown>
const LOGIN = { email: 'admin@example.com', password: 'correct horse battery' }
const EURO = { label: 'Euro', kind: 'FIAT', scale: 2 }
const ACCOUNT = { name: 'House', currency: 'EUR', iban: IBAN, bic: 'COBADEFFXXX' }
const bank = (options: Declared = {}, more: Declared = {}): Declared => ({
  label: 'House bank',
  kind: 'BANK',
  options: { ...ACCOUNT, ...options },
  ...more,
})
const SFTP = {
  sftp_host: 'sftp.bank.example',
  sftp_user: 'kontor',
  sftp_host_key: `SHA256:${'A'.repeat(43)}`,
  sftp_outbox_dir: '/in',
  sftp_inbox_dir: '/out',
}
const KEY = { secrets: { sftp_private_key: { stored: 'sftp_private_key' } } }
const WORD = 'correct horse'

describe('the folders of a bank that is declared over the API', () => {
  let world: DeclarationsWorld
  let server: Awaited<ReturnType<DeclarationsWorld['serve']>>
  let base: string
  const workspaces: WorkspaceId[] = []

  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'kontor-banks-'))
    world = await DeclarationsWorld.open()
    server = await world.serve({ bankFolders: join(base, 'banks') })
    for (const name of ['ours', 'theirs']) workspaces.push(await world.newWorkspace(name))
  })
  after(async () => {
    await server?.close()
    await world?.close()
    await rm(base, { recursive: true })
  })

  const caller = (of = workspaces[0]) =>
    world.caller(
      mustExist(of, 'it was made'),
      'declarations.read',
      'venues.read',
      'venues.write',
      'venues.secrets.write',
      'assets.write',
    )
  const put = (key: string, declaration: unknown, { at = server, token = caller() } = {}) =>
    at.call<DeclarationRecord>('PUT', `/declarations/${key}`, { token, body: { declaration } })
  const openBank = async ({ data }: Answer<DeclarationRecord>, token = caller()) => {
    const path = `/venues/${mustExist(data.venue_id, 'a venue was made')}/protocols`
    return server.call('GET', path, { token })
  }

  it('are made below the folder of the operator, for nobody else', async () => {
    for (const workspace of workspaces) {
      const token = caller(workspace)
      assert.equal(refusalsOf(await put('asset.EUR', EURO, { token })), '200')
      const made = await put('venue.house', bank(), { token })
      assert.equal(refusalsOf(made), '200')
      assert.equal(made.data.folder, join(workspace, 'house'))
      assert.equal(refusalsOf(await openBank(made, token)), '200')
      const place = join(base, 'banks', workspace, 'house')
      for (const folder of ['outbox/done', 'outbox', 'inbox', '.', '..', '../..'])
        assert.equal((await stat(join(place, folder))).mode & 0o777, 0o700, folder)
    }
    assert.deepEqual((await readdir(join(base, 'banks'))).toSorted(), workspaces.toSorted())
  })

  /** One account is one venue. */
  const another = (options: Declared = {}, secrets?: Declared) =>
    bank({ iban: 'AT611904300234573201', ...options }, ...(secrets ? [secrets] : []))

  it('are never those that a person writes', async () => {
    const place = '400 declaration.options.outbox_dir CONFLICT'
    const half =
      '400 declaration.options.outbox_dir REQUIRED declaration.options.inbox_dir CONFLICT'
    const named = { outbox_dir: '../house/outbox', inbox_dir: '/etc' }
    const wrong: [key: string, declaration: Declared, answer: string][] = [
      ['venue.b', another(named), `${place} declaration.options.inbox_dir CONFLICT`],
      ['venue.b', another({ inbox_dir: '/etc' }), half],
      ['venue.House', another(), '400 declaration.key FORMAT'],
      ['venue...', another(), '400 key FORMAT'],
      [`venue.${encodeURIComponent('a/../../x')}`, another(), '400 key FORMAT'],
      ['venue.b', bank({ iban: 'DE00' }), '400 declaration.options FORMAT'],
      ['venue.b', bank({ iban: 'DE00', ...SFTP }, KEY), '400 declaration.options FORMAT'],
    ]
    for (const [key, declaration, answer] of wrong)
      assert.equal(refusalsOf(await put(key, declaration)), answer, JSON.stringify(declaration))
    const without = await world.serve()
    const answer = await put('venue.b', another(), { at: without })
    assert.equal(refusalsOf(answer), place)
    assert.match(answer.error_description ?? '', /KONTOR_BANK_FOLDERS/)
    await without.close()
  })

  it('stay those of the file, where it names them', async () => {
    const workspace = await world.newWorkspace('with a file')
    const { wallets: _wallets, routes: _routes, ...file } = await world.file()
    await world.apply(workspace, file)
    const token = caller(workspace)
    const { data } = await server.call<DeclarationRecord>('GET', '/declarations/venue.bank', {
      token,
    })
    assert.equal(data.folder, null)
    const { options, ...rest } = data.declaration as { options: Declared }
    const { outbox_dir: _outbox, inbox_dir: _inbox, ...others } = options
    assert.equal(
      refusalsOf(await put('venue.bank', { ...rest, options: others }, { token })),
      '400 declaration.options.outbox_dir CONFLICT',
    )
  })

  it('and the place of its server: public, with secrets that are written once', async () => {
    const strict = { isAllowed: () => false, plain: false, variable: 'KONTOR_VENUE_NETWORKS' }
    const at = await world.serve({ bankFolders: join(base, 'banks'), rules: strict })
    const inside = another({ ...SFTP, sftp_host: '10.0.0.1' }, KEY)
    assert.equal(
      refusalsOf(await put('venue.sftp', inside, { at })),
      '400 declaration.options.sftp_host FORMAT',
    )
    await at.close()
    const made = await put('venue.sftp', another({ ...SFTP, sftp_host: '127.0.0.1' }, KEY))
    assert.equal(refusalsOf(made), '200')
    assert.match((await openBank(made)).error_description ?? '', /sftp_private_key was not written/)
    const path = `/venues/${made.data.venue_id}/secrets/sftp_private_key`
    const written = await server.call('PUT', path, { token: caller(), body: { value: WORD } })
    assert.equal(refusalsOf(written), '200')
    assert.equal(refusalsOf(await openBank(made)), '200')
    assert.deepEqual(await world.tablesWith(WORD), [])
  })
})

describe('a day with a bank that is declared over the API', () => {
  const api = apiClient(LOGIN)
  const { call } = api
  let base: string
  let database: Awaited<ReturnType<typeof testDatabase>>
  let services: ReturnType<typeof openServices>
  let place: string
  let venue_id: string

  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'kontor-bank-'))
    database = await testDatabase()
    await prepareDatabase(database.url, LOGIN)
    await createKeyFile(join(base, 'kontor.key'))
    services = openServices({
      DATABASE_URL: database.url,
      DATA_DIR: base,
      KONTOR_KEY_FILE: join(base, 'kontor.key'),
    })
    await start()
  })
  after(async () => {
    await services?.killAll()
    await database?.drop()
    await rm(base, { recursive: true })
  })

  const start = async () => api.connect((await services.start({}).ready).port)
  const put = (key: string, declaration: unknown) =>
    call<DeclarationRecord>('PUT', `/declarations/${key}`, { declaration })
  /** As the bank's own program does: whole, by rename. */
  const arrives = async (name: string, xml: string) => {
    await writeFile(join(place, 'inbox', `.${name}`), xml)
    await rename(join(place, 'inbox', `.${name}`), join(place, 'inbox', name))
  }
  const isOn = async (state: string) =>
    (await call<{ id: string; state: string }[]>('GET', '/venues')).some(
      (venue) => venue.id === venue_id && venue.state === state,
    )

  let account_id: string
  let wallet_id: string

  it('is connected with its first statement, and has a wallet', async () => {
    await put('asset.EUR', EURO)
    const { folder, venue_id: id } = await put('venue.house', bank())
    place = join(base, 'banks', mustExist(folder, 'it names none'))
    venue_id = mustExist(id, 'it was made')
    await until('the folders are there', async () =>
      stat(join(place, 'inbox')).then(
        () => true,
        () => false,
      ),
    )
    await arrives('001.xml', statementXml('100.00', new Date(Date.now() - 60_000).toISOString()))
    await until('the bank is connected', () => isOn('CONNECTED'))
    const [venue] = await call<{ services: { id: string; type: string }[] }[]>('GET', '/venues')
    const accounts = await call<{ id: string; type: string; venue_id: string | null }[]>(
      'GET',
      '/accounts',
    )
    const wallet = await call<{ id: string; state: string }>('POST', '/treasury/wallets', {
      type: 'VENUE',
      asset: 'EUR',
      address: IBAN,
      label: 'House bank EUR',
      venue_id,
      service_id: venue?.services[0]?.id,
      account_id: accounts.find(({ type }) => type === 'VENUE')?.id,
      access_type: 'INTERNAL',
    })
    wallet_id = wallet.id
    assert.equal(wallet.state, 'ACTIVE')
  })

  it('books what is notified, after a restart', async () => {
    await services.killAll()
    await start()
    const at = new Date().toISOString()
    const entry = entryXml({ ref: 'R-1', sign: 'CRDT', amount: '250.00', at })
    await arrives('002.xml', notificationXml(entry))
    const deposit = await until('the deposit is there', async () => {
      const [found] = await call<{ id: string; quantity: string }[]>(
        'GET',
        '/treasury/deposits?state=UNASSIGNED',
      )
      return found
    })
    assert.equal(deposit.quantity, '250')
    const customer = await call<{ account_id: string }>('POST', '/customers', {
      type: 'RETAIL',
      first_name: 'Alice',
      last_name: 'A',
      label: 'Alice',
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
    })
    account_id = customer.account_id
    await call('POST', `/treasury/deposits/${deposit.id}/assignments`, [
      { account_id, quantity: '250' },
    ])
  })

  it('pays by its outbox, which no restart and no removal empties', async () => {
    const [customer] = await call<{ id: string }[]>('GET', '/customers')
    const payee = await call<{ id: string }>('POST', '/treasury/wallets', {
      type: 'CUSTOMER',
      access_type: 'EXTERNAL',
      asset: 'EUR',
      address: PAYEE,
      label: 'Alice elsewhere',
      customer_id: customer?.id,
      account_id,
    })
    const route = await call<{ id: string }>('POST', '/treasury/wallets/routes', {
      label: 'House bank to Alice',
      from_wallet_id: wallet_id,
      to_wallet_id: payee.id,
      protocol: 'SEPA',
      transfer: { to: { name: 'Alice A', reference: 'Payout' } },
    })
    await call('POST', `/treasury/wallets/routes/${route.id}/withdrawals`, {
      quantity: '120',
      speed_level: 'DEFAULT',
      account_id,
    })
    const paid = async () =>
      (await readdir(join(place, 'outbox'))).filter((name) => name.endsWith('.xml'))
    const [file] = await until('the payment is in the outbox', async () => {
      const files = await paid()
      return files.length > 0 && files
    })
    const xml = await readFile(join(place, 'outbox', mustExist(file, 'it is there')), 'utf8')
    assert.match(xml, new RegExp(`120\\.00.*${PAYEE}`, 's'))
    await services.killAll()
    await start()
    await until('the bank is connected again', () => isOn('CONNECTED'))
    await call('DELETE', '/declarations/venue.house')
    await until('it is disabled', () => isOn('DISABLED'))
    await put('venue.house', bank({}, { label: 'Again' }))
    await until('it is connected again', () => isOn('CONNECTED'))
    assert.deepEqual(await paid(), [file])
    assert.deepEqual((await readdir(join(place, 'inbox'))).toSorted(), ['001.xml', '002.xml'])
  })
})
