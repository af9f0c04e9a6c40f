/**
 * Builds ahead what a service shows: the console and the documentation. As a program of its own its
 * memory is gone when it ends.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildOnce, compressFiles, isBuilt } from './builds.ts'
import type { Build } from './builds.ts'
import { DOCUMENTATION } from './documentation.ts'
import { ROOT } from './setup.mjs'

export const CONSOLE: Build = {
  dist: join(ROOT, 'console/dist'),
  sources: [
    'console/index.html',
    'console/vite.config.ts',
    'console/src',
    'client/src',
    'docs/help',
    'package-lock.json',
  ],
  counts: /\.(tsx?|css|svg|md|json)$/,
  make: buildWithVite,
}

export const pagesAreBuilt = async (): Promise<boolean> =>
  (await isBuilt(CONSOLE)) && (await isBuilt(DOCUMENTATION))

/** Answers what there was to do. */
export async function buildPages(): Promise<string[]> {
  const built = []
  if (await buildOnce(CONSOLE)) built.push('the console')
  if (await buildOnce(DOCUMENTATION)) built.push('the documentation')
  return built
}

async function buildWithVite(folder: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    root: join(ROOT, 'console'),
    configFile: join(ROOT, 'console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: false },
  })
  await assertNamed(folder)
  await compressFiles(join(folder, 'assets'))
}

/** Every file that a page is sent with is there. */
async function assertNamed(folder: string): Promise<void> {
  const named = Object.values(
    JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as Record<string, string[]>,
  ).flat()
  const missing = named.find((file) => !existsSync(join(folder, file)))
  if (missing !== undefined)
    throw new Error(`the console's pages name ${missing}, which was not built`)
}

if (import.meta.main) {
  const began = Date.now()
  const built = await buildPages()
  if (built.length > 0) {
    const seconds = Math.ceil((Date.now() - began) / 1000)
    process.stderr.write(`kontor: built ${built.join(' and ')}, ${seconds} s\n`)
  }
}
