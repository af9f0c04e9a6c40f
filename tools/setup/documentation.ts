/**
 * `npm run docs [FOLDER]`: the documentation as a site of plain files. A Kontor serves it at /docs;
 * a FOLDER gets a copy to read without one.
 */
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildOnce, compressFiles, currentOf } from './builds.ts'
import type { Build } from './builds.ts'
import { ROOT } from './setup.mjs'

export const DOCUMENTATION: Build = {
  dist: join(ROOT, 'tools/docs/dist'),
  sources: [
    ...['README', 'CHANGELOG', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY'].map((n) => `${n}.md`),
    'client/README.md',
    'sandbox/README.md',
    'docs',
    'deploy',
    'tools/docs',
    'package.json',
    'package-lock.json',
  ],
  counts: /^(?!dist\/).*(\.\w+|file)$/,
  async make(folder) {
    const { writeSite } = await import('../docs/build.ts')
    await writeSite(folder)
    await compressFiles(join(folder, 'site'))
  },
}

if (import.meta.main) {
  await buildOnce(DOCUMENTATION)
  const built = join(DOCUMENTATION.dist, await currentOf(DOCUMENTATION))
  const [name] = process.argv.slice(2)
  const folder = name === undefined ? built : resolve(process.env['INIT_CWD'] ?? '', name)
  if (folder !== built) await cp(built, folder, { recursive: true })
  const url = pathToFileURL(join(folder, 'index.html')).href
  process.stdout.write(`The documentation is at ${url}\n`)
}
