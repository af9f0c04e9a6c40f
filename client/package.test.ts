/**
 * The package as people get it: packed, installed into an empty folder, compiled against, run and
 * bundled for browsers. Nothing of it may need the tree around it.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { answer, refuse, scripted } from './src/scripted.testing.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const folder = await mkdtemp(join(tmpdir(), 'kontor-package-'))
after(() => rm(folder, { recursive: true, force: true }))

const PROGRAM = `import { addAmounts, connect, KontorError, verifyWebhook } from '@kontor/client'
import type { Client, DetailCode } from '@kontor/client'

const kontor: Client = await connect({ base_url: process.argv[2] ?? '', api_key: 'kontor_x' })
const quantities: string[] = []
for await (const deposit of kontor.all('/treasury/deposits', { query: { state: ['UNASSIGNED'] } }))
  quantities.push(deposit.quantity)
const error = await kontor.get('/accounts').then(() => undefined, (thrown: unknown) => thrown)
let code: 3001 | undefined
let scale: DetailCode = 'SCALE'
if (error instanceof KontorError && error.is('BadRequest')) code = error.error_code
console.log(JSON.stringify([addAmounts(...quantities), code, scale, typeof verifyWebhook]))
`
/** Each line must not compile. */
const WRONG = `import { connect } from '@kontor/client'
const kontor = await connect({ base_url: '', api_key: '' })
await kontor.get('/nowhere')
await kontor.get('/treasury/deposits', { query: { state: ['NO_SUCH_STATE'] } })
await kontor.post('/bookings')
const amount: number = (await kontor.get('/treasury/deposits'))[0]!.quantity
`
const NODE_GLOBALS = 'declare const process: { argv: string[] }\n'

async function compile(name: string, options: object): Promise<string> {
  const compilerOptions = { target: 'es2022', strict: true, noEmit: true, types: [], ...options }
  const project = join(folder, `tsconfig.${name}.json`)
  const files = [name.startsWith('wrong') ? 'wrong.mts' : 'program.mts', 'globals.d.ts']
  await writeFile(project, JSON.stringify({ compilerOptions, files }))
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc')
  return run(process.execPath, [compiler, '-p', project]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

test('it is packed with licence, texts and types, and without sources', async () => {
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(ROOT, 'client'),
  })
  // npm writes what the build says before it.
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')))
  const names = (files as { path: string }[]).map(({ path }) => path)
  for (const wanted of ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts'])
    assert.ok(names.includes(wanted), wanted)
  assert.deepEqual(
    names.filter((name) => /test|\.ts$/.test(name) && !name.endsWith('.d.ts')),
    [],
  )
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', [...install, `./${filename}`], { cwd: folder })
  assert.deepEqual(
    (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ['@kontor'],
  )
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
  const { version, license } = await read(join(folder, 'node_modules/@kontor/client/package.json'))
  assert.deepEqual(
    [version, license],
    [(await read(join(ROOT, 'package.json'))).version, 'Apache-2.0'],
  )
})

test('a strict program compiles against it, and a wrong one does not', async () => {
  await writeFile(join(folder, 'program.mts'), PROGRAM)
  await writeFile(join(folder, 'wrong.mts'), WRONG)
  await writeFile(join(folder, 'globals.d.ts'), NODE_GLOBALS)
  const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' }
  const bundler = { module: 'esnext', moduleResolution: 'bundler' }
  assert.equal(await compile('nodenext', nodenext), '')
  assert.equal(await compile('bundler', bundler), '')
  const wrong = await compile('wrong', nodenext)
  for (const line of [3, 4, 5, 6]) assert.match(wrong, new RegExp(`wrong\\.mts\\(${line},`))
})

test('it runs in Node, as an ES module and required', async (t) => {
  const service = await scripted(t, ({ line, query }, response) => {
    if (line === 'GET /api/accounts') return refuse(response, [400, 3001])
    const rows = query.has('cursor') ? [{ quantity: '0.2' }] : [{ quantity: '0.1' }]
    const link = query.has('cursor') ? {} : { link: '</api/x?cursor=c>; rel="next"' }
    return answer(response, rows, link as Record<string, string>)
  })
  const plain = PROGRAM.replaceAll(/^import type.*$/gm, '').replaceAll(
    /: (Client|string\[\]|unknown|3001 \| undefined|DetailCode)/g,
    '',
  )
  await writeFile(join(folder, 'program.mjs'), plain)
  const { stdout } = await run(process.execPath, ['program.mjs', service.base_url], { cwd: folder })
  assert.deepEqual(JSON.parse(stdout), ['0.3', 3001, 'SCALE', 'function'])
  await writeFile(
    join(folder, 'required.cjs'),
    "console.log(typeof require('@kontor/client').connect)",
  )
  const required = await run(process.execPath, ['required.cjs'], { cwd: folder })
  assert.equal(required.stdout, 'function\n')
})

test('it brings the program kontor, which runs without the tree', async () => {
  const kontor = async (...args: string[]) =>
    (await run(join(folder, 'node_modules/.bin/kontor'), args, { cwd: folder })).stdout
  const { version } = JSON.parse(await readFile(join(ROOT, 'client/package.json'), 'utf8'))
  assert.equal(await kontor('--version'), `${version}\n`)
  assert.match(await kontor('help'), /^kontor RESOURCE COMMAND/)
  assert.match(await kontor('help', 'deposits', 'list'), /--state/)
})

test('it is bundled for browsers without a module of Node', async () => {
  const { build } = await import('vite')
  const entry = join(folder, 'browser.js')
  await writeFile(entry, "export * from '@kontor/client'\n")
  await mkdir(join(folder, 'out'))
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { outDir: 'out', lib: { entry, formats: ['es'], fileName: 'bundle' } },
  })
  const [file = '', ...others] = await readdir(join(folder, 'out'))
  assert.deepEqual(others, [])
  const bundle = await readFile(join(folder, 'out', file), 'utf8')
  assert.match(bundle, /idempotency-key/)
  assert.doesNotMatch(bundle, /node:|require\(|\bimport\b[^.(]*from/)
})
