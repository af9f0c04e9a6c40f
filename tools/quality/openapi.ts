/**
 * `npm run quality openapi`: what others make of the OpenAPI document. Spectral lints it with all
 * that it recommends, and three generators make clients whose code must compile strictly. The
 * programs are installed into a temporary folder, in the versions below. Redocly lints it in
 * `npm test`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../setup/setup.mjs'

const PROGRAMS = [
  '@stoplight/spectral-cli@6.16.3',
  'openapi-typescript@7.13.0',
  '@hey-api/openapi-ts@0.99.0',
  'orval@8.38.0',
  'typescript@5.9.3',
]
const DOCUMENT = join(ROOT, 'docs/generated/openapi.json')
/** Its hints count too. */
const LINT = ['spectral', 'lint', '-r', 'rules.yaml', '-F', 'hint', DOCUMENT]
const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': ['openapi-typescript', DOCUMENT, '-o'],
  'hey-api': ['openapi-ts', '-i', DOCUMENT, '-c', '@hey-api/client-fetch', '-o'],
  orval: ['orval', '--input', DOCUMENT, '--client', 'fetch', '--output'],
}
const STRICT = (
  'tsc --noEmit --strict --target es2023 --lib es2023,dom,dom.iterable ' +
  '--module esnext --moduleResolution bundler'
).split(' ')

const folder = await mkdtemp(join(tmpdir(), 'kontor-openapi-'))

/** Whether it ended well; what it said is shown where it did not. */
function does(what: string, command: string, args: readonly string[]): boolean {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
  })
  const good = status === 0
  process.stdout.write(`${good ? 'good' : 'BAD '}  ${what}\n`)
  if (!good) process.stdout.write(`${error?.message ?? ''}${stdout}${stderr}\n`)
  return good
}

/** By this Node: the machine's own may be too old for them. */
const runs = (what: string, [program = '', ...args]: readonly string[]): boolean =>
  does(what, process.execPath, [join(folder, 'node_modules/.bin', program), ...args])

function generates(name: string, command: readonly string[]): boolean {
  const made = name === 'hey-api' ? name : join(name, 'index.ts')
  return (
    runs(`${name} generates`, [...command, made]) &&
    runs(`${name} compiles`, [...STRICT, join(name, 'index.ts')])
  )
}

try {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await writeFile(join(folder, 'rules.yaml'), 'extends: "spectral:oas"\n')
  const flags = [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--save-exact',
  ]
  const all =
    does('programs are there', 'npm', [...flags, ...PROGRAMS]) &&
    [
      runs('spectral', LINT),
      ...Object.entries(GENERATORS).map(([name, command]) => generates(name, command)),
    ].every(Boolean)
  process.exitCode = all ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
