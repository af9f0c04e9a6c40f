/** Which files the documentation is made of, in which order, and where each stands in the site. */
import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from '../setup/setup.mjs'

type Area = { title: string; sources: string[] }

/** Pages that are made from other things than a document, by what links may call them. */
export const OPERATIONS = 'docs/generated/openapi.json'
export const LISTED_FOLDERS = ['docs/decisions', 'docs/generated', 'deploy']

const AREAS: readonly Area[] = [
  { title: 'Begin', sources: ['README.md', 'CHANGELOG.md'] },
  {
    title: 'Guides',
    sources: [
      'README',
      'trade',
      'pay',
      'webhooks',
      'idempotency',
      'pagination',
      'errors',
      'sandbox',
    ].map((name) => `docs/guides/${name}.md`),
  },
  {
    title: 'Build on it',
    sources: [
      OPERATIONS,
      'docs/api-keys.md',
      'docs/events.md',
      'docs/webhooks.md',
      'docs/generated/errors.md',
      'docs/generated/permissions.md',
      'docs/generated/events.md',
      'client/README.md',
      'sandbox/README.md',
    ],
  },
  {
    title: 'Run it',
    sources: [
      'operations',
      'production',
      'configuration',
      'single-sign-on',
      'venues',
      'reliability',
      'performance',
    ]
      .map((name) => `docs/${name}.md`)
      .concat('SECURITY.md'),
  },
  {
    title: 'Understand it',
    sources: [
      'docs/glossary.md',
      ...[
        'matching',
        'suspense',
        'transit',
        'rectification',
        'settlement',
        'payments',
        'reconciliation',
        'customer-wallets',
        'signed-heads',
      ].map((name) => `docs/help/${name}.md`),
      'docs/domain.md',
      'docs/ledger.md',
      'docs/proof-of-segregation.md',
      'docs/records.md',
      'docs/generated/states.md',
      'docs/generated/tables.md',
    ],
  },
  {
    title: 'Work on it',
    sources: [
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'docs/generated/floors.md',
      'docs/console.md',
      'docs/faults.md',
      'docs/chaos.md',
      'docs/attack.md',
      'docs/decisions',
    ],
  },
]
/** For a document that nobody has put anywhere. */
const REST = 'More'
const ROOT_DOCUMENTS = ['README', 'CHANGELOG', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY']

/** Where the title of a document says too little beside the others. */
const LABELS: Readonly<Record<string, string>> = {
  'README.md': 'Introduction',
  'ARCHITECTURE.md': 'Architecture',
  'docs/guides/README.md': 'Before you begin',
  'docs/generated/events.md': 'Types of events',
  'client/README.md': 'The client',
}

export const labelOf = (source: string, title: string): string => LABELS[source] ?? title

/** Every document, as its path in the repository. */
export function documents(): string[] {
  return [
    ...ROOT_DOCUMENTS.map((name) => `${name}.md`),
    ...(readdirSync(join(ROOT, 'docs'), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`)
      .toSorted(),
    'client/README.md',
    'sandbox/README.md',
  ].filter((path) => existsSync(join(ROOT, path)))
}

/** The areas with what is there. Decisions are reached from the list of them. */
export function areasOf(sources: readonly string[]): Area[] {
  const known = [...sources, OPERATIONS, ...LISTED_FOLDERS]
  const placed = new Set(AREAS.flatMap((area) => area.sources))
  const rest = sources.filter((path) => !placed.has(path) && !path.startsWith('docs/decisions/'))
  return [
    ...AREAS.map((area) => ({
      ...area,
      sources: area.sources.filter((path) => known.includes(path)),
    })),
    { title: REST, sources: rest },
  ].filter((area) => area.sources.length > 0)
}

/** The address of a document in the site, relative to its first page. */
export function addressOf(source: string): string {
  if (source === 'README.md') return 'index.html'
  if (source === OPERATIONS) return 'api.html'
  const path = source.replace(/^docs\//, '')
  if (LISTED_FOLDERS.includes(source)) return `${path}/index.html`
  if (/^(client|sandbox)\/README\.md$/.test(path)) return `${posix.dirname(path)}.html`
  if (path.endsWith('/README.md')) return path.replace(/README\.md$/, 'index.html')
  const name = path.replace(/\.md$/, '.html')
  return name.includes('/') ? name : name.toLowerCase()
}

/** Where a file that is no document, such as a picture, stands in the site. */
export const fileAddressOf = (path: string): string =>
  path.startsWith('docs/') ? path.slice('docs/'.length) : `files/${path}`
