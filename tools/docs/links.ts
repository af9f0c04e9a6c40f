/** Links between documents: what a link of a document means, and the anchors of headings. */
import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from '../setup/setup.mjs'

type Target =
  | { kind: 'outside' }
  /** `path` in the repository; of a folder with a README.md, that one. */
  | { kind: 'inside'; path: string; anchor: string | undefined; exists: boolean }

export function targetOf(href: string, source: string): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href) || href.startsWith('/')) return { kind: 'outside' }
  const [before = '', anchor] = href.split('#')
  const path = before === '' ? source : posix.join(posix.dirname(source), decodeURI(before))
  const readme = posix.join(path, 'README.md')
  if (!existsSync(join(ROOT, path)) || path.startsWith('..'))
    return { kind: 'inside', path, anchor, exists: false }
  const isFolder = statSync(join(ROOT, path)).isDirectory()
  const document = isFolder && existsSync(join(ROOT, readme)) ? readme : path
  return { kind: 'inside', path: document.replace(/\/$/, ''), anchor, exists: true }
}

/** Gives each heading of one document the anchor that GitHub gives it. */
export function anchors(): (heading: string) => string {
  const used = new Map<string, number>()
  return (heading) => {
    const plain = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const times = used.get(plain) ?? 0
    used.set(plain, times + 1)
    return times === 0 ? plain : `${plain}-${times}`
  }
}
