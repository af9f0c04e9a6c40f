/** What lies in deploy/ belongs together, and to the program. `npm run quality deploy` runs it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { VERSION } from '../../server/src/core/version.ts'
import { settingsFrom } from '../../server/src/environment.ts'
import { VARIABLES } from '../../server/src/variables.ts'
import { contextFiles, filesOf, readContainerfile } from '../quality/deploy/containerfile.ts'
import { CONSOLE } from '../setup/console.ts'
import { DOCUMENTATION } from '../setup/documentation.ts'
import { ROOT } from '../setup/setup.mjs'

const DEPLOY = join(ROOT, 'deploy')
const CHART = join(DEPLOY, 'helm/kontor')
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')
const SECRET_OF_OWNER = 'KONTOR_OWNER_DATABASE_URL'

const unknownOf = (names: readonly string[]): string[] =>
  names.filter((name) => !VARIABLES.includes(name) && name !== 'NODE_ENV')

type Env = Record<string, string>

/** As it would be with values for what the operator fills in. */
const assertStarts = (env: Env): void => void settingsFrom({ DATABASE_URL: 'postgres://x', ...env })

const image = readContainerfile()
const context = contextFiles()

test('the image has all that its programs load, and runs as nobody special', () => {
  const last = image.stages.at(-1) ?? assert.fail()
  const inside = new Set<string>()
  for (const step of last.steps)
    if ('copy' in step && step.copy.from === undefined) {
      const found = filesOf(step.copy, context)
      for (const source of step.copy.sources)
        assert.ok(
          found.some(([file]) => file === source || file.startsWith(`${source}/`)),
          `${source} is there`,
        )
      for (const [, target] of found) inside.add(target)
    }
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8')) as {
    dependencies: Env
  }
  const programs = [...image.command, image.healthcheck[1] ?? '', 'tools/setup/command.ts']
  const loaded = reached(programs)
  assert.ok(loaded.has('server/src/ledger/lane/lane.ts') && loaded.size > 300)
  for (const file of loaded) {
    assert.ok(inside.has(file), `${file} is in the image`)
    for (const name of packagesIn(file)) assert.ok(name in dependencies, `${name} of ${file}`)
  }
  assert.ok(![...inside].some((file) => /^sandbox\/|\.test\.ts$|\.testing\.ts$/.test(file)))
  assert.match(image.user, /^[1-9]\d*:[1-9]\d*$/)
  const { port, place } = settingsFrom({ DATABASE_URL: 'postgres://x', ...image.environment })
  assert.deepEqual(image.ports, [port, place?.port])
  assert.deepEqual(unknownOf(Object.keys(image.environment)), [])
  for (const { steps, base } of image.stages)
    for (const step of steps)
      if ('copy' in step && step.copy.from === undefined && base === 'packages')
        assert.ok(filesOf(step.copy, context).length > 0, step.copy.sources.join())
})

test('the image has all that the console and the documentation are built from', () => {
  const stage = image.stages.find(({ name }) => name === 'console') ?? assert.fail()
  const copied = [stage, ...image.stages.filter(({ name }) => name === stage.base)].flatMap(
    ({ steps }) => steps.flatMap((step) => ('copy' in step ? step.copy.sources : [])),
  )
  const missing = [CONSOLE, DOCUMENTATION]
    .flatMap(({ sources }) => sources)
    .filter((path) => !copied.some((source) => `${path}/`.startsWith(`${source}/`)))
  assert.deepEqual(missing, [])
})

const IMPORT = /^(?:(?:import|export) (?!type).*|\} )from '([^']+)'|\bimport\('([^']+)'\)/gm

const importsOf = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(
    ([, first, later]) => first ?? later ?? '',
  )

/** Every file that these load, at once or later. */
function reached(programs: readonly string[]): Set<string> {
  const found = new Set<string>()
  const waiting = [...programs]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file) || !existsSync(join(ROOT, file))) continue
    found.add(file)
    waiting.push(
      ...importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(file), specifier)),
    )
  }
  return found
}

const packagesIn = (file: string): string[] =>
  importsOf(file)
    .filter((name) => !/^(\.|node:)/.test(name) && !builtinModules.includes(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )

type Service = {
  environment?: Env
  image?: string
  volumes?: string[]
  networks?: string[] | Record<string, { ipv4_address?: string }>
  command?: string[]
  depends_on?: Record<string, { condition: string }>
  profiles?: string[]
  read_only?: boolean
}
type Compose = { services: Record<string, Service>; networks: object; volumes: object }

test('the compose file: who knows what, who reaches whom, and only files that are there', () => {
  const compose = parse(read('compose.yml'), { merge: true }) as Compose
  const { proxy, api, worker, migrate, primary, standby } = compose.services
  assert.ok(proxy && api && worker && migrate && primary && standby)
  for (const [name, service] of Object.entries(compose.services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      if (/\.(sh|md)$|file$/.test(source)) assert.ok(existsSync(join(DEPLOY, source)), volume)
      else if (!source.startsWith('.')) assert.ok(source in compose.volumes, volume)
    }
    for (const other of Object.keys(service.depends_on ?? {}))
      assert.ok(other in compose.services, `${name} waits for ${other}`)
    const networks = service.networks ?? []
    for (const network of Array.isArray(networks) ? networks : Object.keys(networks))
      assert.ok(network in compose.networks, `${name} is in ${network}`)
  }
  for (const service of [api, worker, migrate]) {
    assert.deepEqual(unknownOf(Object.keys(service.environment ?? {})), [])
    assert.equal(service.read_only, true)
  }
  for (const service of [api, worker]) {
    assert.ok(!JSON.stringify(service).includes('OWNER'), 'the owner is not for the service')
    assert.match(service.environment?.['DATABASE_URL'] ?? '', /primary:5432,standby:5432/)
    assert.equal(service.depends_on?.['migrate']?.condition, 'service_completed_successfully')
    assertStarts(filledIn(service.environment ?? {}))
  }
  assert.ok(SECRET_OF_OWNER in (migrate.environment ?? {}))
  const networks = proxy.networks as Record<string, { ipv4_address?: string }>
  const address = networks['edge']?.ipv4_address
  assert.equal(api.environment?.['KONTOR_TRUSTED_PROXIES'], address)
  assert.match(read('compose/Caddyfile'), /reverse_proxy api:4000 \{/)
  assert.deepEqual(primary.command, standby.command)
  for (const setting of ['max_wal_size=4GB', 'wal_compression=off', 'autovacuum_naptime=10s'])
    assert.ok(primary.command?.includes(`-c${setting}`), setting)
  assert.ok(primary.command?.some((word) => word.includes('synchronous_standby_names=')))
})

test('every value that the compose file wants is in the example of its environment', () => {
  const wanted = [...read('compose.yml').matchAll(/\$\{(\w+):([?-])/g)]
  const example = read('compose/env.example')
  for (const [, name = ''] of wanted)
    if (name !== 'KONTOR_IMAGE') assert.match(example, new RegExp(`^${name}=`, 'm'), name)
})

/** As the engine puts values in. */
const filledIn = (environment: Env): Env =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      String(value)
        .replaceAll(/\$\{\w+:\?\}/g, 'kontor.example.com')
        .replaceAll(/\$\{\w+:-\}/g, ''),
    ]),
  )

const UNITS = readdirSync(join(DEPLOY, 'systemd')).filter((name) => !name.endsWith('.example'))

test('systemd: units start programs that are there, with variables that are known', async () => {
  for (const name of readdirSync(join(DEPLOY, 'systemd'))) {
    const text = read(`systemd/${name}`)
    const names = name.endsWith('.example')
      ? [...text.matchAll(/^([A-Z]\w+)=/gm)].map(([, variable = '']) => variable)
      : [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
          line.split(' ').map((entry) => entry.split('=')[0] ?? ''),
        )
    assert.deepEqual(
      unknownOf(names).filter((one) => !one.startsWith('PG')),
      [],
      name,
    )
    for (const [, path = ''] of text.matchAll(/ ((?:server|tools)\/\S+\.ts)/g))
      assert.ok(existsSync(join(ROOT, path)), path)
    for (const [, path = ''] of text.matchAll(/\/opt\/kontor\/(\S+)/g))
      assert.ok(existsSync(join(ROOT, path)), path)
    const owners = text.includes('owner.env')
    assert.equal(owners, ['kontor-migrate.service', 'owner.env.example'].includes(name), name)
  }
  assert.ok(!read('systemd/kontor.env.example').includes(SECRET_OF_OWNER))
  const env = [...read('systemd/kontor.env.example').matchAll(/^([A-Z]\w+)=(.*)$/gm)]
  assertStarts(Object.fromEntries(env.map(([, name, value]) => [name, value])) as Env)
})

const has = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

test(
  'systemd itself finds nothing wrong with the units',
  { skip: has('systemd-analyze', '--version') ? false : 'there is no systemd here' },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-units-'))
    try {
      for (const name of UNITS)
        await writeFile(
          join(folder, name),
          // What is on the machine of an operator, and not here.
          read(`systemd/${name}`)
            .replaceAll('/usr/bin/node', process.execPath)
            .replaceAll('/opt/kontor', ROOT)
            .replaceAll(/^User=.*\n/gm, ''),
        )
      const { stderr, status } = spawnSync(
        'systemd-analyze',
        ['verify', '--man=no', ...UNITS.map((name) => join(folder, name))],
        { encoding: 'utf8' },
      )
      const ours = stderr.split('\n').filter((line) => line.includes('kontor'))
      assert.deepEqual([ours, status], [[], 0])
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)

test('the chart: versions, variables, and values that its schema takes and refuses', () => {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Env
  assert.deepEqual([chart['version'], chart['appVersion']], [VERSION, VERSION])
  const templates = readdirSync(join(CHART, 'templates'))
    .map((name) => readFileSync(join(CHART, 'templates', name), 'utf8'))
    .join('\n')
  const names = [...templates.matchAll(/name: ([A-Z][A-Z_0-9]+)\b/g)].map(([, name = '']) => name)
  assert.deepEqual(unknownOf(names), [])
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object
  const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as object
  const given = parse(readFileSync(join(CHART, 'test-values.yaml'), 'utf8')) as object
  const isValid = new Ajv({ allErrors: true, strict: false }).compile(schema)
  assert.equal(isValid(defaults), false, 'an operator must say something')
  assert.equal(isValid(merged(defaults, given)), true, JSON.stringify(isValid.errors))
  for (const wrong of [
    { hosts: ['https://kontor.example.com'] },
    { trustedProxies: ['0.0.0.0/0'] },
    { database: { existingSecret: '' } },
    { replicas: 2 },
  ])
    assert.equal(isValid(merged(defaults, { ...given, ...wrong })), false, JSON.stringify(wrong))
})

/** As helm merges values: objects by their fields, everything else as a whole. */
function merged(below: object, above: object): object {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const result: Record<string, unknown> = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const before = result[name]
    result[name] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return result
}

type Resource = { kind: string; metadata: { name: string }; spec: Record<string, unknown> }

test(
  'the chart, rendered: pods that Kontor starts in, and ports that it answers at',
  { skip: has('helm', 'version') ? false : 'there is no helm here' },
  () => {
    const render = (...words: string[]) =>
      spawnSync('helm', ['template', 'k', CHART, '--kube-version', '1.30.0', ...words], {
        encoding: 'utf8',
      })
    const values = ['--values', join(CHART, 'test-values.yaml')]
    const { stdout, stderr, status } = render(...values)
    assert.equal(status, 0, stderr)
    const resources = parseAllDocuments(stdout)
      .map((document) => document.toJS() as Resource | null)
      .filter((resource) => resource !== null)
    const kinds = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    for (const kind of ['Deployment k-api', 'Deployment k-worker', 'Job k-migrate', 'Ingress k'])
      assert.ok(kinds.includes(kind), kind)
    for (const kind of ['PodDisruptionBudget k-api', 'NetworkPolicy k', 'ServiceMonitor k'])
      assert.ok(kinds.includes(kind), kind)
    for (const resource of resources.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)))
      assertPod(resource)
    assert.match(render(...values, '--set', 'worker.replicas=2').stderr, /ReadWriteMany/)
  },
)

type Container = {
  name: string
  env: { name: string; value?: string }[]
  args?: string[]
  ports?: { name: string; containerPort: number }[]
  readinessProbe?: { httpGet: { path: string; port: string } }
}
type Pod = { securityContext: Record<string, unknown>; containers: Container[] }

function assertPod({ metadata, spec }: Resource): void {
  const pod = (spec['template'] as { spec: Pod }).spec
  assert.equal(`${String(pod.securityContext['runAsUser'])}:10001`, image.user)
  const [container] = pod.containers
  assert.ok(container)
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value ?? '']))
  assert.equal(SECRET_OF_OWNER in env, metadata.name === 'k-migrate')
  if (metadata.name === 'k-migrate')
    return assert.deepEqual(container.args, ['tools/setup/command.ts', 'migrate'])
  const { role, port, place } = settingsFrom({
    ...env,
    DATABASE_URL: 'postgres://x',
    KONTOR_SMTP_URL: '',
  })
  assert.equal(role, container.name)
  const known: Record<string, number | undefined> = { http: port, metrics: place?.port }
  for (const { name, containerPort } of container.ports ?? [])
    assert.equal(containerPort, known[name], name)
  assert.deepEqual(container.readinessProbe?.httpGet, { path: '/readyz', port: 'metrics' })
  assert.notEqual(place?.host, '127.0.0.1', 'the kubelet reaches the probes')
}

test('what is named in the notes is there', () => {
  for (const name of ['compose/make-roles.sh', 'compose/follow-primary.sh', 'back-up.sh']) {
    assert.match(read(name), /^#!\/usr\/bin\/env bash\n/, basename(name))
    const { status, stderr } = spawnSync('bash', ['-n', join(DEPLOY, name)], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
})
