/** The brand over HTTP and by the file: who sees it, and what it takes. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { dataUrl, png, svg } from '../access/logos.testing.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { refusalOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { readConfig } from './config-file.ts'
import type { SettingRecord } from './settings.schema.ts'
import { SettingsWorld } from './settings.testing.ts'

const FULL = {
  name: 'Bank am See',
  legal_name: 'Bank am See AG',
  address: ['Seestrasse 1', '8000 Zürich'],
  contact: ['0800'],
  accent: '#00693E',
}
type Shown = { name: string | null; accent: string | null; logo: string | null }

describe('the brand', () => {
  let world: SettingsWorld
  let server: TestServer
  let ours: WorkspaceId
  let token: string
  before(async () => {
    world = await SettingsWorld.open()
    server = await world.serve()
    ours = await world.newWorkspace('ours')
    token = world.caller(ours, 'settings.read', 'settings.brand.write')
  })
  after(async () => {
    await server?.close()
    await world?.close()
  })

  const put = (value: unknown, by = token) =>
    server.call<SettingRecord>('PUT', '/settings/brand', { token: by, body: { value } })
  const logoOf = ({ value }: SettingRecord) => (value as { logo: string }).logo
  const picture = (path: string, by?: string) =>
    server.server.inject({
      method: 'GET',
      url: `/api${path}`,
      headers: by === undefined ? {} : { authorization: `Bearer ${by}` },
    })

  it('is kept as it is written, and its logo by what is in it', async () => {
    const { status, data } = await put({ ...FULL, logo: dataUrl(png(), 'image/png') })
    assert.equal(status, 200)
    const logo = logoOf(data)
    assert.match(logo, /^[0-9a-f]{64}\.png$/)
    assert.deepEqual(data.value, { ...FULL, logo })
    const again = await put(data.value)
    assert.deepEqual([again.status, again.data.version], [200, data.version])
    const history = await server.call<object[]>('GET', '/settings/brand/history', { token })
    assert.doesNotMatch(history.text, /base64/)
    const { headers, rawPayload } = await picture(`/brand/logos/${logo}`, token)
    assert.deepEqual(rawPayload, png())
    assert.partialDeepStrictEqual(headers, {
      'content-type': 'image/png',
      'content-disposition': 'inline',
      'content-security-policy':
        "default-src 'none'; frame-ancestors 'none'; sandbox; style-src 'unsafe-inline'",
    })
  })

  it('is another one when only its writing changes, also of a number', async () => {
    const named = await put({ name: '1.50' })
    const renamed = await put({ name: '1.5' })
    assert.deepEqual(
      { value: renamed.data.value, version: renamed.data.version },
      { value: { name: '1.5' }, version: named.data.version + 1 },
    )
    assert.equal((await put(FULL)).status, 200)
  })

  it('is on the login page while there is one workspace, and nothing else of it', async () => {
    const logo = logoOf((await put({ ...FULL, logo: dataUrl(svg(), 'image/svg+xml') })).data)
    const shown = await server.call<Shown>('GET', '/brand')
    assert.deepEqual(shown.data, { name: FULL.name, accent: FULL.accent, logo })
    const drawn = await picture('/brand/logo')
    assert.deepEqual([drawn.headers['content-type'], drawn.rawPayload], ['image/svg+xml', svg()])
    const theirs = await world.newWorkspace('theirs')
    const none = await server.call<Shown>('GET', '/brand')
    assert.deepEqual(none.data, { name: null, accent: null, logo: null })
    assert.equal((await picture('/brand/logo')).statusCode, 404)
    const other = world.caller(theirs, 'settings.read', 'settings.brand.write')
    assert.equal((await picture(`/brand/logos/${logo}`, other)).statusCode, 404)
    assert.equal(refusalOf(await put({ logo }, other)), '400 3001 NOT_FOUND value.logo')
    const reads = world.caller(ours, 'settings.read')
    assert.equal(refusalOf(await put({}, reads)), '403 1003 PERMISSION_REQUIRED ')
  })

  it('refuses what is no line, no colour and no logo', async () => {
    const cases = [
      [{ name: 'Bank\r\nBcc: all' }, 'FORMAT value.name'],
      [{ name: ' ' }, 'FORMAT value.name'],
      [{ address: ['a', 'b\nc'] }, 'FORMAT value.address[1]'],
      [{ accent: 'red' }, 'FORMAT value.accent'],
      [{ accent: '#12345g' }, 'FORMAT value.accent'],
      [{ slogan: 'Ours' }, 'UNKNOWN_FIELD value.slogan'],
      [{ logo: 'https://example.com/logo.png' }, 'FORMAT value.logo'],
      [{ logo: dataUrl(png(), 'image/jpeg') }, 'FORMAT value.logo'],
      [{ logo: dataUrl(svg(), 'image/png') }, 'CONFLICT value.logo'],
      [{ logo: dataUrl(svg('<script/>'), 'image/svg+xml') }, 'CONFLICT value.logo'],
      [{ logo: dataUrl(svg('<__proto__/>'), 'image/svg+xml') }, 'CONFLICT value.logo'],
      [{ logo: dataUrl(svg('<use href="#a"/>'), 'image/svg+xml') }, 'CONFLICT value.logo'],
      [{ logo: dataUrl(Buffer.alloc(65_537), 'image/png') }, 'TOO_LARGE value.logo'],
      [{ logo: `${'0'.repeat(64)}.png` }, 'NOT_FOUND value.logo'],
    ] as const
    for (const [value, said] of cases)
      assert.equal(refusalOf(await put(value)), `400 3001 ${said}`, JSON.stringify(value))
  })

  it('has no logo of a name that is none', async () => {
    for (const name of ['%00', '%ff', 'a%00.png', '__proto__', `${'0'.repeat(64)}.png`]) {
      const { statusCode } = await picture(`/brand/logos/${name}`, token)
      assert.ok([400, 404].includes(statusCode), `${name} ${statusCode}`)
    }
  })

  it('comes from the file too, with a logo beside it, and does not overwrite people', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-brand-'))
    const path = join(folder, 'kontor.json')
    const file = async (logo: string) => {
      const settings = { brand: { name: 'By file', logo } }
      await writeFile(path, JSON.stringify({ version: 1, settings }))
      return readConfig(path, {})
    }
    const fault = (logo: string) =>
      assert.rejects(file(logo), ({ details: [one] }) => one.path === 'settings.brand.logo')
    try {
      await writeFile(join(folder, 'logo.svg'), svg())
      await writeFile(join(folder, 'bad.svg'), svg('<script/>'))
      const fresh = await world.newWorkspace('by file')
      const by = world.caller(fresh, 'settings.read', 'settings.brand.write')
      const read = () => server.call<SettingRecord>('GET', '/settings/brand', { token: by })
      assert.deepEqual(await world.apply(fresh, await file('logo.svg')), [])
      const { value, hand } = (await read()).data
      assert.deepEqual([(value as Shown).name, hand], ['By file', 'FILE'])
      assert.equal((await picture(`/brand/logos/${(value as Shown).logo}`, by)).statusCode, 200)
      assert.equal((await put({ name: 'By hand' }, by)).status, 200)
      const [drift] = await world.apply(fresh, await file('logo.svg'))
      assert.deepEqual(
        [drift?.key, drift?.file, drift?.record],
        ['brand', value, { name: 'By hand' }],
      )
      assert.equal((await put(drift?.file, by)).status, 200)
      for (const logo of ['none.svg', 'bad.svg', 'logo.gif']) await fault(logo)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
