/**
 * The documentation as a site of plain files, written from README.md, docs/ and the other
 * documents. It needs no network, neither here nor where it is read.
 */
import { readdirSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import { ROOT } from '../setup/setup.mjs'
import { pageOf, rootOf } from './layout.ts'
import type { Menu } from './layout.ts'
import { operationsMarkdown } from './operations.ts'
import {
  addressOf,
  areasOf,
  documents,
  fileAddressOf,
  labelOf,
  LISTED_FOLDERS,
  OPERATIONS,
} from './pages.ts'
import { renderDocument } from './render.ts'
import type { Rendered } from './render.ts'

type Made = Rendered & { source: string; address: string }

export async function writeSite(folder: string): Promise<void> {
  const sources = documents()
  const read = (path: string) => readFile(join(ROOT, path), 'utf8')
  const made: Made[] = []
  for (const source of sources) made.push(make(source, await read(source), sources))
  made.push(make(OPERATIONS, operationsMarkdown(await read(OPERATIONS)), sources))
  for (const listed of LISTED_FOLDERS) made.push(make(listed, listOf(listed, made), sources))
  const menu = menuOf(sources, made)
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  for (const page of made) await write(join(folder, page.address), pageOf(page, { menu, version }))
  // It is sent for any address, so that it names the others from the root.
  const none = { ...make('404.md', NO_PAGE, sources), address: '404.html' }
  const frame = { menu, version, root: '/docs/' }
  await write(
    join(folder, none.address),
    pageOf(
      { ...none, html: none.html.replaceAll('href="index.html"', 'href="/docs/index.html"') },
      frame,
    ),
  )
  await cp(join(import.meta.dirname, 'site'), join(folder, 'site'), { recursive: true })
  await write(join(folder, 'site/index.js'), searchIndex(made))
  for (const file of new Set(made.flatMap(({ files }) => files)))
    await cp(join(ROOT, file), join(folder, fileAddressOf(file)), { recursive: true })
}

function make(source: string, markdown: string, sources: readonly string[]): Made {
  const address = addressOf(source)
  const pages = new Set([...sources, OPERATIONS, ...LISTED_FOLDERS])
  const rendered = renderDocument(source, markdown, (path) => {
    const isFile = !pages.has(path) || (path === OPERATIONS && source === OPERATIONS)
    const target = isFile ? fileAddressOf(path) : addressOf(path)
    return { address: rootOf(address) + target, isFile }
  })
  return { ...rendered, source, address }
}

const TITLES: Readonly<Record<string, string>> = {
  'docs/decisions': 'Decisions',
  'docs/generated': 'Generated references',
  deploy: 'Files for production',
}

/** A page for a folder: its documents, or its files where it has none. */
function listOf(folder: string, made: readonly Made[]): string {
  const pages = made.filter(({ source }) => posix.dirname(source) === folder)
  const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
  const named =
    pages.length > 0
      ? pages.map(({ source, title }) => [title, source] as const)
      : files.map((file) => [posix.relative(folder, file), file] as const)
  const rows = named.map(
    ([name, path]) => `- [${name}](${posix.relative(posix.dirname(folder), path)})`,
  )
  return `# ${TITLES[folder] ?? folder}\n\n${rows.join('\n')}\n`
}

const NO_PAGE = `# There is no such page

It may have another name now. The search above finds words in all pages, and the
[introduction](README.md) says where to read on.
`

function menuOf(sources: readonly string[], made: readonly Made[]): Menu {
  const titles = new Map(made.map(({ source, title }) => [source, title]))
  return areasOf(sources).map((area) => ({
    title: area.title,
    entries: area.sources.map((source) => ({
      title: labelOf(source, titles.get(source) ?? source),
      address: addressOf(source),
    })),
  }))
}

/** A script, so that it can be read from a folder of files too, where pages may fetch nothing. */
function searchIndex(made: readonly Made[]): string {
  const rows = made.flatMap(({ address, title, sections }) =>
    sections.map(({ heading, anchor, text }) => [address, title, heading, anchor, text]),
  )
  return `window.kontorIndex = ${JSON.stringify(rows)}\n`
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
